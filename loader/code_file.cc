#include "callbridge/loader/code_file.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

absl::Status PlaceError(absl::string_view place, absl::string_view call) {
  return absl::PermissionDeniedError(absl::StrCat(place, ": ", call, ": ", std::strerror(errno)));
}

// To write more than RLIMIT_FSIZE (`ulimit -f`) allows raises SIGXFSZ, which ends the process.
// Blocked, it leaves the error that write() returns.
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

// Mount options and security policies speak up only when code is mapped.
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
