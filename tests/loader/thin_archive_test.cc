// Inspects thin archives as `ar` makes them, and as it would not.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "callbridge/loader/inspection.h"
#include "callbridge/loader/target_library.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/processor_time.h"

namespace callbridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class ThinArchiveTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/thin-XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    std::filesystem::create_directories(folder_ + "/libraries");
    std::filesystem::create_directories(folder_ + "/objects/of/a/long/name");
    Write("one.cc", "const char* f(); int g(); void one(void*, const void**) { f(); g(); }");
    Write("two.cc",
          "void two(void*, const void**) {} const char* f() { return \"XLA_FFI_CallFrame\"; }");
    Run("g++ -c one.cc -o objects/one.o && g++ -c two.cc -o objects/of/a/long/name/two.o");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
  }
  void Run(const std::string& command) const {
    ASSERT_EQ(std::system(absl::StrCat("cd ", folder_, " && ", command).c_str()), 0) << command;
  }
  // An archive of one member of that name.
  absl::Status InspectMember(const std::string& name) const {
    std::string long_names = name + "/\n";
    if (long_names.size() % 2 == 1) long_names += "\n";
    const auto header = [](const std::string& text, size_t size) {
      return absl::StrFormat("%-48s%-10d`\n", text, size);
    };
    Write("libraries/made.a",
          absl::StrCat("!<thin>\n", header("//", long_names.size()), long_names, header("/0", 1)));
    const auto start = ProcessorTime();
    absl::Status status = Inspect(folder_ + "/libraries/made.a").status();
    EXPECT_LT(ProcessorTime() - start, std::chrono::seconds(5));
    return status;
  }

  std::string folder_;
};

TEST_F(ThinArchiveTest, MembersAreFoundFromTheArchivesFolder) {
  Run("ar rcT libraries/thin.a objects/one.o objects/of/a/long/name/two.o");
  absl::StatusOr<Inspection> inspection = Inspect(folder_ + "/libraries/thin.a");
  ASSERT_TRUE(inspection.ok()) << inspection.status();
  EXPECT_EQ(inspection->kind, FileKind::kArchive);
  EXPECT_THAT(inspection->symbols.functions, SizeIs(2));
  EXPECT_TRUE(inspection->mentions_typed_ffi);
  std::vector<std::string> unresolved;
  for (const UnresolvedSymbol& symbol : inspection->unresolved) unresolved.push_back(symbol.name);
  EXPECT_THAT(unresolved, ::testing::Contains("g()"));
  EXPECT_THAT(unresolved, ::testing::Not(::testing::Contains("f()"))) << "one member has it";
}

TEST_F(ThinArchiveTest, MissingMemberIsNamed) {
  Run("ar rcT libraries/thin.a objects/one.o objects/of/a/long/name/two.o");
  Run("rm objects/one.o");
  const absl::Status status = Inspect(folder_ + "/libraries/thin.a").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("is a thin archive"), HasSubstr("../objects/one.o"),
                    HasSubstr("No such file")));
}

TEST_F(ThinArchiveTest, ArchivesInItAreRefused) {
  Run("ar rc libraries/inner.a objects/one.o && cd libraries && ar rcT thin.a inner.a");
  EXPECT_THAT(std::string(Inspect(folder_ + "/libraries/thin.a").status().message()),
              HasSubstr("inner.a"));
  Run("rm libraries/*.a && ar rcT libraries/inner.a objects/one.o && cp libraries/inner.a i.o");
  EXPECT_THAT(std::string(InspectMember("../i.o").message()), HasSubstr("is an archive itself"));
  EXPECT_THAT(std::string(InspectMember("made.a").message()), HasSubstr("is an archive itself"));
}

TEST_F(ThinArchiveTest, MembersThatAreNoFiles) {
  ASSERT_EQ(mkfifo((folder_ + "/libraries/fifo").c_str(), 0600), 0);
  EXPECT_THAT(std::string(InspectMember("fifo").message()), HasSubstr("member fifo is a FIFO"));
  EXPECT_THAT(std::string(InspectMember(".").message()), HasSubstr("member . is a directory"));
  EXPECT_THAT(std::string(InspectMember("/dev/zero").message()), HasSubstr("is a device"));
  EXPECT_THAT(std::string(InspectMember(std::string("a\0b", 3)).message()), HasSubstr("NUL"));
  EXPECT_THAT(std::string(InspectMember("\x1b[2J").message()), HasSubstr("\\x1b[2J"));
}

// Any file that the user may read can be named; of what is no object file nothing is shown.
TEST_F(ThinArchiveTest, PathsThatLeadAnywhere) {
  EXPECT_TRUE(InspectMember(folder_ + "/objects/one.o").ok());
  EXPECT_TRUE(InspectMember("../../../../../../../../../../../../etc/passwd").ok());
  EXPECT_FALSE(InspectMember("../../../../../../../../../../../../../../no/such/file").ok());
}

TEST_F(ThinArchiveTest, IsNoLibrary) {
  Run("ar rcT libraries/thin.a objects/one.o");
  EXPECT_THAT(std::string(TargetLibrary::Load(folder_ + "/libraries/thin.a").status().message()),
              HasSubstr("is a static archive"));
}

}  // namespace
}  // namespace callbridge
