// LoadedCopy: a PrivateCopy that ld.so has mapped and bound.
//
// ld.so does not run the copy's constructors; RunConstructors() does, afterwards. An exception that
// leaves dlopen() ends the process, since dlopen() is declared not to throw; called in a way that
// lets the exception pass, it leaves ld.so's lock behind, and the next thread that opens a library
// waits for ever. The constructors of the libraries that the copy needs are ld.so's as always.
#ifndef CALLBRIDGE_RUNTIME_LOADED_COPY_H_
#define CALLBRIDGE_RUNTIME_LOADED_COPY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/runtime/file_descriptor.h"
#include "callbridge/runtime/private_copy.h"

namespace callbridge {

class LoadedCopy {
 public:
  // FAILED_PRECONDITION: ld.so's words, which name what is missing, about `path` instead of the
  // copy. PERMISSION_DENIED: no place for the copy from which code may run.
  static absl::StatusOr<std::unique_ptr<LoadedCopy>> Open(const PrivateCopy& copy,
                                                          const std::string& path);

  // Runs the library's destructors and unmaps it, unless something else holds it.
  ~LoadedCopy();
  LoadedCopy(const LoadedCopy&) = delete;
  LoadedCopy& operator=(const LoadedCopy&) = delete;

  // To be called once, on the thread whose RegistrationScope gathers what they register. INTERNAL
  // with what() if one throws; those after it are not run.
  absl::Status RunConstructors() const;

  // What the file's addresses are relative to.
  uint64_t load_address() const { return load_address_; }

 private:
  LoadedCopy(FileDescriptor file, std::string name, void* handle, uint64_t load_address,
             const Constructors& constructors)
      : file_(std::move(file)),
        name_(std::move(name)),
        handle_(handle),
        load_address_(load_address),
        constructors_(constructors) {}

  // What is mapped at an address of the file.
  void* Memory(uint64_t address) const;

  FileDescriptor file_;  // stays open: debuggers and dladdr read the copy through its name
  std::string name_;     // "/proc/<pid>/fd/<N>", as ld.so knows it
  void* handle_;         // of dlopen
  uint64_t load_address_;
  Constructors constructors_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_RUNTIME_LOADED_COPY_H_
