#include "callbridge/tools/file_bytes.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

// A file of `size` bytes, no two neighbours alike; removed with this.
class Written {
 public:
  explicit Written(size_t size)
      : path_(absl::StrCat(::testing::TempDir(), "/file_bytes_test_", getpid())) {
    for (size_t i = 0; i < size; ++i) bytes_.push_back(static_cast<char>(i % 251));
    std::ofstream(path_, std::ios::binary) << bytes_;
  }
  ~Written() { std::remove(path_.c_str()); }

  const std::string& path() const { return path_; }
  const std::string& bytes() const { return bytes_; }

 private:
  const std::string path_;
  std::string bytes_;
};

// A pipe that holds these bytes and ends; they must fit into its buffer.
class FilledPipe {
 public:
  explicit FilledPipe(const std::string& bytes) {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    EXPECT_GT(fcntl(ends_[1], F_SETPIPE_SZ, 1 << 20), 0);
    EXPECT_EQ(write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(ends_[1]);
  }
  ~FilledPipe() { close(ends_[0]); }

  std::string path() const { return absl::StrCat("/dev/fd/", ends_[0]); }

 private:
  int ends_[2];
};

// Around what is read at a time.
constexpr size_t kSizes[] = {0, 1, 65535, 65536, 65537, 131072, 200000};

TEST(ReadFile, ReadsFilesAndPipesToTheEnd) {
  for (const size_t size : kSizes) {
    const Written file(size);
    EXPECT_EQ(*ReadFile(file.path()), file.bytes()) << size;
    EXPECT_EQ(*ReadFile(FilledPipe(file.bytes()).path()), file.bytes()) << size;
  }
}

TEST(ReadFile, ReadsAsManyBytesAsAreAllowed) {
  for (const size_t size : kSizes) {
    const Written file(size);
    EXPECT_EQ(*ReadFile(file.path(), size), file.bytes()) << size;
    EXPECT_EQ(*ReadFile(FilledPipe(file.bytes()).path(), size), file.bytes()) << size;
    if (size == 0) continue;
    EXPECT_EQ(ReadFile(file.path(), size - 1).status(),
              absl::InvalidArgumentError(absl::StrCat(file.path(), ": expected at most ", size - 1,
                                                      " bytes, found ", size)));
    const FilledPipe pipe(file.bytes());
    EXPECT_EQ(ReadFile(pipe.path(), size - 1).status(),
              absl::InvalidArgumentError(absl::StrCat(pipe.path(), ": expected at most ", size - 1,
                                                      " bytes, found more")));
  }
}

TEST(ReadFile, ReadsNoFurtherThanABeginningThatIsAnother) {
  const Written file(200000);
  const std::string begin = file.bytes().substr(0, 6);
  EXPECT_EQ(*ReadFile(file.path(), SIZE_MAX, begin), file.bytes());
  EXPECT_EQ(*ReadFile(Written(3).path(), SIZE_MAX, begin), begin.substr(0, 3));
  const std::string zeros = *ReadFile("/dev/zero", SIZE_MAX, begin);
  EXPECT_LE(zeros.size(), 1 << 16);
  EXPECT_EQ(zeros.substr(0, 6), std::string(6, '\0'));
}

TEST(ReadFile, SaysWhatIsWrong) {
  EXPECT_EQ(ReadFile("/nowhere/x").status(),
            absl::NotFoundError("/nowhere/x: No such file or directory"));
  EXPECT_EQ(ReadFile("/proc/self").status().message(), "/proc/self: Is a directory");
}

}  // namespace
}  // namespace callbridge
