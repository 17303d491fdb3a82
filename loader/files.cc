#include "callbridge/loader/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace callbridge {

// ---- Reading

namespace {

// A sparse file can claim any size; its bytes are held in memory twice while it is loaded.
constexpr int64_t kMaximumSize = int64_t{4} << 30;

absl::Status OpenError(int error) {
  // A path through a file that is not a directory does not exist either.
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

// Uses large pages if the kernel has some: otherwise creating pages takes half of the time to read
// a file of 500 MB.
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

absl::StatusOr<FileDescriptor> OpenForReading(const std::string& path) {
  if (path.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("is not a file name: it contains a NUL");
  }
  // O_NONBLOCK: opening a FIFO would otherwise wait for a writer.
  FileDescriptor file = FileDescriptor::AboveStandard(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open()) return OpenError(errno);
  return file;
}

// `needed` is what the user should have named, for the error.
absl::StatusOr<size_t> RegularFileSize(int fd, absl::string_view needed) {
  struct stat info;
  if (fstat(fd, &info) != 0) return OpenError(errno);
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("is ", FileTypeName(info.st_mode), "; ", needed, " is needed"));
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
  absl::StatusOr<FileDescriptor> opened = OpenForReading(path);
  if (!opened.ok()) return opened.status();
  const FileDescriptor file = *std::move(opened);
  absl::StatusOr<size_t> size = RegularFileSize(file.number(), "a shared library (.so)");
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

absl::Status CheckRegularFile(const std::string& path, absl::string_view needed) {
  const absl::StatusOr<FileDescriptor> file = OpenForReading(path);
  return file.ok() ? RegularFileSize(file->number(), needed).status() : file.status();
}

// ---- Files that hold code

namespace {

absl::Status PlaceError(absl::string_view place, absl::string_view call) {
  return absl::PermissionDeniedError(absl::StrCat(place, ": ", call, ": ", std::strerror(errno)));
}

// Writing beyond RLIMIT_FSIZE (`ulimit -f`) raises SIGXFSZ, which ends the process. If the signal
// is blocked, write() returns an error.
class WithoutFileSizeSignal {
 public:
  WithoutFileSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  WithoutFileSizeSignal(const WithoutFileSizeSignal&) = delete;
  WithoutFileSizeSignal& operator=(const WithoutFileSizeSignal&) = delete;
  ~WithoutFileSizeSignal() {
    const timespec no_wait = {};
    if (!was_pending_) sigtimedwait(&signal_, nullptr, &no_wait);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signal_;
  sigset_t before_;
  bool was_pending_;
};

absl::Status WriteAll(int fd, absl::string_view bytes, absl::string_view place) {
  const WithoutFileSizeSignal without_signal;
  while (!bytes.empty()) {
    const ssize_t count = write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return PlaceError(place, "write");
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

// Mount options and security policies take effect only when code is mapped.
absl::Status CheckCodeMayRun(int fd, absl::string_view place) {
  void* page = mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  if (page == MAP_FAILED) return PlaceError(place, "mmap as code");
  munmap(page, 1);
  return absl::OkStatus();
}

absl::StatusOr<FileDescriptor> Fill(FileDescriptor file, absl::string_view bytes,
                                    absl::string_view place) {
  absl::Status status = WriteAll(file.number(), bytes, place);
  if (status.ok()) status = CheckCodeMayRun(file.number(), place);
  if (!status.ok()) return status;
  return file;
}

}  // namespace

absl::StatusOr<FileDescriptor> WriteCodeFileInMemory(absl::string_view bytes) {
  constexpr char kPlace[] = "memory";
  FileDescriptor file = FileDescriptor::AboveStandard(memfd_create("callbridge", MFD_CLOEXEC));
  if (!file.is_open()) return PlaceError(kPlace, "memfd_create");
  return Fill(std::move(file), bytes, kPlace);
}

absl::StatusOr<FileDescriptor> WriteCodeFileInFolder(absl::string_view bytes,
                                                     const std::string& folder) {
  std::string path = absl::StrCat(folder, "/callbridge-XXXXXX");
  const int number = mkostemp(path.data(), O_CLOEXEC);
  if (number < 0) return PlaceError(folder, "mkostemp");
  unlink(path.c_str());
  FileDescriptor file = FileDescriptor::AboveStandard(number);
  if (!file.is_open()) return PlaceError(folder, "fcntl");
  return Fill(std::move(file), bytes, folder);
}

absl::StatusOr<FileDescriptor> WriteCodeFile(absl::string_view bytes) {
  absl::StatusOr<FileDescriptor> in_memory = WriteCodeFileInMemory(bytes);
  if (in_memory.ok()) return in_memory;
  const char* folder = std::getenv("TMPDIR");
  absl::StatusOr<FileDescriptor> in_folder =
      WriteCodeFileInFolder(bytes, folder != nullptr && *folder != '\0' ? folder : "/tmp");
  if (in_folder.ok()) return in_folder;
  return absl::PermissionDeniedError(
      absl::StrCat("there is no place for its private copy from which code may run (",
                   in_memory.status().message(), "; ", in_folder.status().message(),
                   "); set TMPDIR to a folder with room that is mounted without noexec"));
}

}  // namespace callbridge
