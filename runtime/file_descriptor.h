// FileDescriptor: an open file, closed with its owner.
#ifndef CALLBRIDGE_RUNTIME_FILE_DESCRIPTOR_H_
#define CALLBRIDGE_RUNTIME_FILE_DESCRIPTOR_H_

#include <unistd.h>

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

#endif  // CALLBRIDGE_RUNTIME_FILE_DESCRIPTOR_H_
