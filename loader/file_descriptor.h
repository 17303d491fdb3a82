// FileDescriptor: an open file, closed with its owner.
#ifndef CALLBRIDGE_LOADER_FILE_DESCRIPTOR_H_
#define CALLBRIDGE_LOADER_FILE_DESCRIPTOR_H_

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace callbridge {

class FileDescriptor {
 public:
  // Takes ownership; a negative number stands for none.
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  // Takes ownership of an open file, under a number above 2. A process that closed its standard
  // output still writes to number 1: that must not be a file of callbridge's. None, and errno,
  // where `number` is negative or there are no more numbers.
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
  // Gives up ownership.
  int Release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_FILE_DESCRIPTOR_H_
