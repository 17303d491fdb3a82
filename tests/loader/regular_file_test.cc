#include "callbridge/loader/regular_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "callbridge/loader/file_descriptor.h"

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
    absl::StatusOr<std::string> bytes = ReadRegularFile(path);
    ASSERT_FALSE(bytes.ok()) << path;
    EXPECT_EQ(bytes.status().code(), code) << bytes.status();
    EXPECT_THAT(std::string(bytes.status().message()), HasSubstr(message));
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
  ExpectError(std::string("a\0b", 3), absl::StatusCode::kInvalidArgument, "holds a NUL");
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

}  // namespace
}  // namespace callbridge
