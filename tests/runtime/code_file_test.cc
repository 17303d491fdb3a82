#include "callbridge/runtime/code_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/runtime/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

TEST(CodeFileTest, EitherPlaceHoldsCode) {
  for (const auto& file : {WriteCodeFileInMemory("code"), WriteCodeFileInFolder("code", "/tmp")}) {
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(BytesOf("/proc/self/fd/" + std::to_string(file->number())), "code");
  }
}

// What a process prints that closed its standard output must not become code.
TEST(CodeFileTest, NeverIsAStandardStream) {
  const int output = dup(STDOUT_FILENO);
  close(STDOUT_FILENO);
  for (const auto& file : {WriteCodeFileInMemory("code"), WriteCodeFileInFolder("code", "/tmp")}) {
    EXPECT_TRUE(file.ok() && file->number() > STDERR_FILENO);
  }
  EXPECT_LT(fcntl(STDOUT_FILENO, F_GETFD), 0) << "free again";
  dup2(output, STDOUT_FILENO);
  close(output);
}

// Where the limit's signal is not ignored it would end the process.
TEST(CodeFileTest, FilesAreNoLargerThanTheirLimit) {
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 100;
  setrlimit(RLIMIT_FSIZE, &small);
  const absl::Status status = WriteCodeFile(std::string(200, 'x')).status();
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(std::string(status.message()), HasSubstr("write: File too large"));
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
}

TEST(CodeFileTest, LeavesNothingBehind) {
  std::string folder = ::testing::TempDir() + "/callbridge-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  absl::StatusOr<FileDescriptor> file = WriteCodeFileInFolder("code", folder);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
  file = WriteCodeFileInFolder("code", folder);
  EXPECT_EQ(file.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(file.status().message()), HasSubstr("No such file or directory"));
}

TEST(CodeFileTest, FolderWithoutExecutionIsRefused) {
  // /proc/mounts: "device folder type options ..."
  std::ifstream mounts("/proc/mounts");
  std::string device, folder, type, options, rest;
  while (mounts >> device >> folder >> type >> options && std::getline(mounts, rest)) {
    if (type != "tmpfs" || options.find("noexec") == std::string::npos) continue;
    if (options.find("rw") != 0 || access(folder.c_str(), W_OK) != 0) continue;
    absl::Status status = WriteCodeFileInFolder("code", folder).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
    EXPECT_THAT(std::string(status.message()), HasSubstr("mmap as code: Operation not permitted"));
    return;
  }
  GTEST_SKIP() << "no writable tmpfs is mounted with noexec here";
}

}  // namespace
}  // namespace callbridge
