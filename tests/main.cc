// The main() of the test programs: runs all tests of the program, or those of the file that the
// argument names, as in `abi_test abi/shape_test.cc`. A --gtest_filter takes the place of the file,
// but for one that only leaves out, as in GTEST_FILTER=-ShapeTest.*.
// Some tests see what those of other files left in the process, so ctest runs a file or a test at a
// time.
#include <cstdio>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

bool IsOf(const testing::TestInfo& test, std::string_view file) {
  const std::string_view path = test.file();
  return path.size() > file.size() &&
         path.substr(path.size() - file.size() - 1) == "/" + std::string(file);
}

// The filter that selects the tests of `file`; empty if there are none.
std::string FilterOf(std::string_view file) {
  std::string filter;
  const testing::UnitTest& program = *testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& test = *suite.GetTestInfo(j);
      if (IsOf(test, file)) filter += std::string(suite.name()) + "." + test.name() + ":";
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  // A death test's child has the filter that it was started with.
  const std::string given = GTEST_FLAG_GET(filter);
  if (argc > 1 && (given == "*" || given.substr(0, 1) == "-")) {
    const std::string filter = FilterOf(argv[1]);
    if (filter.empty()) {
      std::fprintf(stderr, "this program has no tests of %s\n", argv[1]);
      return 1;
    }
    GTEST_FLAG_SET(filter, given == "*" ? filter : filter + given);
  }
  return RUN_ALL_TESTS();
}
