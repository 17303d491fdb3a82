// Opens files: any that a user names, for reading, and anonymous ones that hold generated code.
#ifndef CALLBRIDGE_LOADER_FILES_H_
#define CALLBRIDGE_LOADER_FILES_H_

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// Owns an open file, and closes it.
class FileDescriptor {
 public:
  // Takes ownership. A negative number means no file.
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  // Takes ownership of an open file, and gives it a number above 2: a process that closed its
  // standard output still writes to number 1, which must not be a file of callbridge's. Returns no
  // file, and sets errno, if `number` is negative or no number is free.
  static FileDescriptor AboveStandard(int number) {
    if (number < 0 || number > STDERR_FILENO) return FileDescriptor(number);
    FileDescriptor above(fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    const int error = errno;
    close(number);
    errno = error;
    return above;
  }
  ~FileDescriptor() {
    if (number_ >= 0) close(number_);
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  // Gives up ownership and returns the number.
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// Returns the bytes of the regular file at `path`. Never blocks, not even on a FIFO without a
// writer. A file that shrinks meanwhile is returned shortened. Returns NOT_FOUND if there is no
// such file, PERMISSION_DENIED if it is unreadable, INVALID_ARGUMENT if it is not a regular file or
// larger than 4 GiB. Messages omit the path; the caller puts it in front.
absl::StatusOr<std::string> ReadRegularFile(const std::string& path);

// Returns the error that ReadRegularFile() returns for a file that it cannot open or read, without
// reading it. `needed` says in it what the user should have named, as "a source file".
absl::Status CheckRegularFile(const std::string& path, absl::string_view needed);

// Returns an unnamed file that holds `bytes` and may be mapped as code: in memory, or else in
// $TMPDIR (/tmp if unset). Returns PERMISSION_DENIED with the reason for each place if neither
// allows it.
absl::StatusOr<FileDescriptor> WriteCodeFile(absl::string_view bytes);

// Returns an unnamed file in memory that holds `bytes` and may be mapped as code. Returns
// PERMISSION_DENIED with the reason if that is not allowed.
absl::StatusOr<FileDescriptor> WriteCodeFileInMemory(absl::string_view bytes);

// Returns an unnamed file in `folder` that holds `bytes` and may be mapped as code. Returns
// PERMISSION_DENIED with the reason if that is not allowed.
absl::StatusOr<FileDescriptor> WriteCodeFileInFolder(absl::string_view bytes,
                                                     const std::string& folder);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_FILES_H_
