#include "callbridge/loader/code_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/loader/elf_editor.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

TEST(CodeFileTest, EitherPlaceHoldsCode) {
  for (const auto& file : {WriteCodeFileInMemory("code"), WriteCodeFileInFolder("code", "/tmp")}) {
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(BytesOf("/proc/self/fd/" + std::to_string(file->number())), "code");
  }
}

// Programs that this process starts get none of it.
TEST(CodeFileTest, IsClosedWhereAProgramStarts) {
  for (const auto& file : {WriteCodeFileInMemory("code"), WriteCodeFileInFolder("code", "/tmp")}) {
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_NE(fcntl(file->number(), F_GETFD) & FD_CLOEXEC, 0);
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

// Where the limit's signal is not ignored, as it is below a Python, it would end the process.
TEST(CodeFileTest, FilesAreNoLargerThanTheirLimit) {
  const auto handler = std::signal(SIGXFSZ, SIG_DFL);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 100;
  setrlimit(RLIMIT_FSIZE, &small);
  const absl::Status status = WriteCodeFile(std::string(200, 'x')).status();
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_THAT(std::string(status.message()), HasSubstr("write: File too large"));
  sigset_t pending, mask;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 0);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGXFSZ), 0);
  std::signal(SIGXFSZ, handler);
}

// One that the caller blocks, and has not looked at yet, is the caller's.
TEST(CodeFileTest, ASignalThatWasPendingStaysPending) {
  sigset_t blocked, mask, pending;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &blocked, &mask);
  pthread_kill(pthread_self(), SIGXFSZ);
  EXPECT_TRUE(WriteCodeFileInMemory("code").ok());
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGXFSZ), 1);
  int signal = 0;
  sigwait(&blocked, &signal);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

TEST(CodeFileTest, EachPlaceIsNamed) {
  const auto refusal = [] {
    rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = 100;
    setrlimit(RLIMIT_FSIZE, &small);
    const absl::Status status = WriteCodeFile(std::string(200, 'x')).status();
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied);
    return std::string(status.message());
  };
  const char* usual = std::getenv("TMPDIR");
  const std::string saved = usual != nullptr ? usual : "";
  const std::string folder = ::testing::TempDir();
  const auto places = [](const std::string& place) {
    return "(memory: write: File too large; " + place + ": write: File too large); set TMPDIR to";
  };
  setenv("TMPDIR", folder.c_str(), 1);
  EXPECT_THAT(refusal(), HasSubstr(places(folder)));
  setenv("TMPDIR", "", 1);
  EXPECT_THAT(refusal(), HasSubstr(places("/tmp")));
  unsetenv("TMPDIR");
  EXPECT_THAT(refusal(), HasSubstr(places("/tmp")));
  if (usual != nullptr) setenv("TMPDIR", saved.c_str(), 1);
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
