#include "callbridge/loader/regular_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/file_descriptor.h"

namespace callbridge {
namespace {

// A sparse file can claim any size; its bytes are held in memory twice while it is loaded.
constexpr int64_t kMaximumSize = int64_t{4} << 30;

absl::Status OpenError(int error) {
  // A path through something that is no directory leads to no file either.
  if (error == ENOTDIR) error = ENOENT;
  return absl::Status(absl::ErrnoToStatusCode(error == ELOOP ? ENOENT : error),
                      absl::StrCat("cannot be opened: ", std::strerror(error)));
}

const char* FileTypeName(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "a directory";
    case S_IFIFO:
      return "a FIFO";
    default:
      return "a device";
  }
}

// In large pages, where the kernel has some: else half of the time to read a file of 500 MB is the
// kernel's, to make its pages.
std::string Zeros(size_t size) {
  constexpr size_t kLargePage = size_t{2} << 20;
  std::string bytes;
  bytes.reserve(size);
  const auto begin = (reinterpret_cast<uintptr_t>(bytes.data()) + kLargePage - 1) & -kLargePage;
  const auto end = (reinterpret_cast<uintptr_t>(bytes.data()) + size) & -kLargePage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // NOLINT
  bytes.resize(size);
  return bytes;
}

absl::StatusOr<size_t> RegularFileSize(int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0) return OpenError(errno);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("is ", FileTypeName(info.st_mode), "; a shared library (.so) is needed"));
  }
  if (info.st_size > kMaximumSize) {
    return absl::InvalidArgumentError(
        absl::StrCat("has ", info.st_size, " bytes, and at most ", kMaximumSize,
                     " are read; strip its debug information with `strip --strip-debug`"));
  }
  return static_cast<size_t>(info.st_size);
}

}  // namespace

absl::StatusOr<std::string> ReadRegularFile(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("is no file name: it holds a NUL");
  }
  // O_NONBLOCK: opening a FIFO would otherwise wait for a writer.
  FileDescriptor file = FileDescriptor::AboveStandard(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open()) return OpenError(errno);
  absl::StatusOr<size_t> size = RegularFileSize(file.number());
  if (!size.ok()) return size.status();

  std::string bytes = Zeros(*size);
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = read(file.number(), &bytes[done], bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      return absl::Status(absl::ErrnoToStatusCode(errno),
                          absl::StrCat("cannot be read: ", std::strerror(errno)));
    }
    if (count == 0) break;  // it shrank: what is left is judged like any truncated file
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}

}  // namespace callbridge
