#include "callbridge/loader/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/loader/elf_editor.h"
#include "tests/refused.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

class RegularFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/callbridge-XXXXXX";
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  static void ExpectError(const std::string& path, absl::StatusCode code,
                          const std::string& message) {
    EXPECT_THAT(Refused(ReadRegularFile(path).status(), code), HasSubstr(message));
  }

  std::string folder_;
};

TEST_F(RegularFileTest, ReadsAll) {
  const std::string expected = std::string("a\0b", 3) + std::string(300000, 'x');
  std::ofstream(Path("file"), std::ios::binary) << expected;
  EXPECT_EQ(*ReadRegularFile(Path("file")), expected);
}

TEST_F(RegularFileTest, NoSuchFile) {
  ExpectError(Path("nothing"), absl::StatusCode::kNotFound, "No such file or directory");
  ExpectError("", absl::StatusCode::kNotFound, "No such file or directory");
  std::ofstream(Path("file")) << "x";
  ExpectError(Path("file") + "/below", absl::StatusCode::kNotFound, "No such file or directory");
  ExpectError(std::string("a\0b", 3), absl::StatusCode::kInvalidArgument, "it contains a NUL");
}

TEST_F(RegularFileTest, NotARegularFile) {
  ExpectError(folder_, absl::StatusCode::kInvalidArgument, "is a directory; a shared library");
  ExpectError("/dev/null", absl::StatusCode::kInvalidArgument, "is a device");
}

TEST_F(RegularFileTest, Sockets) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ExpectError(absl::StrCat("/proc/self/fd/", ends[0]), absl::StatusCode::kNotFound,
              "cannot be opened: No such device or address");
  close(ends[0]);
  close(ends[1]);
}

// As ld.so opens files: no descriptor of callbridge's is left, nor one that a program inherits.
TEST_F(RegularFileTest, LeavesNoFileOpen) {
  std::ofstream(Path("file")) << "x";
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  const auto before = open_files();
  EXPECT_EQ(*ReadRegularFile(Path("file")), "x");
  EXPECT_FALSE(ReadRegularFile(folder_).ok());
  EXPECT_EQ(open_files(), before);
}

TEST_F(RegularFileTest, DoesNotWaitForAFifo) {
  ASSERT_EQ(mkfifo(Path("fifo").c_str(), 0644), 0);
  ExpectError(Path("fifo"), absl::StatusCode::kInvalidArgument, "is a FIFO");
}

TEST_F(RegularFileTest, TooLarge) {
  std::ofstream(Path("sparse")) << "x";
  ASSERT_EQ(truncate(Path("sparse").c_str(), int64_t{1} << 40), 0);
  ExpectError(Path("sparse"), absl::StatusCode::kInvalidArgument, "strip --strip-debug");
  ASSERT_EQ(truncate(Path("sparse").c_str(), (int64_t{4} << 30) + 1), 0);
  ExpectError(Path("sparse"), absl::StatusCode::kInvalidArgument,
              "has 4294967297 bytes, and at most 4294967296 are read");
}

TEST_F(RegularFileTest, Unreadable) {
  std::ofstream(Path("secret")) << "x";
  ASSERT_EQ(chmod(Path("secret").c_str(), 0), 0);
  const bool is_root = geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  ExpectError(Path("secret"), absl::StatusCode::kPermissionDenied, "Permission denied");
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
}

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

// What is said where files may have half of the bytes that are written.
std::string SaidOfTooLarge() {
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 100;
  setrlimit(RLIMIT_FSIZE, &small);
  const absl::Status status = WriteCodeFile(std::string(200, 'x')).status();
  setrlimit(RLIMIT_FSIZE, &before);
  return Refused(status, absl::StatusCode::kPermissionDenied);
}

// Where the limit's signal is not ignored, as it is below a Python, it would end the process.
TEST(CodeFileTest, FilesAreNoLargerThanTheirLimit) {
  const auto handler = std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_THAT(SaidOfTooLarge(), HasSubstr("write: File too large"));
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
  const char* usual = std::getenv("TMPDIR");
  const std::string saved = usual != nullptr ? usual : "";
  const std::string folder = ::testing::TempDir();
  const auto places = [](const std::string& place) {
    return "(memory: write: File too large; " + place + ": write: File too large); set TMPDIR to";
  };
  setenv("TMPDIR", folder.c_str(), 1);
  EXPECT_THAT(SaidOfTooLarge(), HasSubstr(places(folder)));
  setenv("TMPDIR", "", 1);
  EXPECT_THAT(SaidOfTooLarge(), HasSubstr(places("/tmp")));
  unsetenv("TMPDIR");
  EXPECT_THAT(SaidOfTooLarge(), HasSubstr(places("/tmp")));
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
