#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "callbridge/loader/child_process.h"
#include "callbridge/loader/target_library.h"
#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

LoadOptions InIsolation(absl::Duration limit = absl::Seconds(60)) {
  LoadOptions options;
  options.isolate = true;
  options.isolation_limit = limit;
  return options;
}

class IsolatedLoadTest : public ::testing::Test {
 protected:
  void SetUp() override { setenv("CALLBRIDGE_LOAD_PROGRAM", LOAD_PROGRAM, 1); }
  void TearDown() override { unsetenv("CALLBRIDGE_LOAD_PROGRAM"); }
};

TEST_F(IsolatedLoadTest, ConstructorsThatEndTheProcess) {
  struct {
    const char* name;
    const char* message;
  } cases[] = {
      {"ends_by_crash", "in isolation it ended by SIGSEGV"},
      {"ends_by_abort", "in isolation it ended by SIGABRT"},
      {"ends_by_exit", "in isolation it exited with status 3"},
      {"ends_by_success", "in isolation it exited with status 0"},
  };
  for (const auto& c : cases) {
    const std::string path = OldBinary(c.name);
    absl::Status status = TargetLibrary::Load(path, InIsolation()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_EQ(status.message(),
              path + ": a constructor ends the process that loads it: " + c.message);
  }
  EXPECT_THAT(TargetRegistry::Global().Targets(), ::testing::IsEmpty());
}

TEST_F(IsolatedLoadTest, ConstructorThatHangs) {
  absl::Status status =
      TargetLibrary::Load(OldBinary("ends_never"), InIsolation(absl::Milliseconds(300))).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("in isolation it did not end in 300ms"));
}

// What is no such end is reported as without isolation.
TEST_F(IsolatedLoadTest, OtherErrorsAndSuccess) {
  EXPECT_EQ(TargetLibrary::Load(OldBinary("throws_exception"), InIsolation()).status(),
            TargetLibrary::Load(OldBinary("throws_exception")).status());
  EXPECT_EQ(TargetLibrary::Load("/nowhere.so", InIsolation()).status().code(),
            absl::StatusCode::kNotFound);
  auto library = TargetLibrary::Load(OldBinary("original_linked"), InIsolation());
  ASSERT_TRUE(library.ok()) << library.status();
  EXPECT_EQ((*library)->targets().size(), 8u);
}

TEST_F(IsolatedLoadTest, WithoutTheHelper) {
  setenv("CALLBRIDGE_LOAD_PROGRAM", "/nowhere/callbridge-load", 1);
  absl::Status status = TargetLibrary::Load(OldBinary("original_linked"), InIsolation()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("callbridge-load is not at /nowhere/callbridge-load; set "
                        "CALLBRIDGE_LOAD_PROGRAM to its path"));
  unsetenv("CALLBRIDGE_LOAD_PROGRAM");
  EXPECT_THAT(
      std::string(
          FindHelperProgram("callbridge-nothing", "CALLBRIDGE_LOAD_PROGRAM").status().message()),
      HasSubstr("/libexec/callbridge/callbridge-nothing"));
}

}  // namespace
}  // namespace callbridge
