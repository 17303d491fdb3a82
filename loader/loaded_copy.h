// LoadedCopy: a PrivateCopy that ld.so has mapped and bound.
//
// ld.so does not run the copy's constructors; RunConstructors() does, afterwards. An exception that
// leaves dlopen() ends the process, since dlopen() is declared not to throw; called in a way that
// lets the exception pass, it leaves ld.so's lock behind, and the next thread that opens a library
// waits for ever. The constructors of the libraries that the copy needs are ld.so's as always.
#ifndef CALLBRIDGE_LOADER_LOADED_COPY_H_
#define CALLBRIDGE_LOADER_LOADED_COPY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/loader/file_descriptor.h"
#include "callbridge/loader/private_copy.h"

namespace callbridge {

class LoadedCopy {
 public:
  // FAILED_PRECONDITION: all symbols or libraries that are missing, or else what ld.so said, about
  // `path` instead of the copy. `file` holds the copy's bytes: see WriteCodeFile().
  static absl::StatusOr<std::unique_ptr<LoadedCopy>> Open(const PrivateCopy& copy,
                                                          FileDescriptor file,
                                                          const std::string& path);

  // Runs the library's destructors and unmaps it, unless something else holds it.
  ~LoadedCopy();
  LoadedCopy(const LoadedCopy&) = delete;
  LoadedCopy& operator=(const LoadedCopy&) = delete;

  // To be called once, on the thread whose RegistrationScope gathers what they register. INTERNAL
  // with what() if one throws; those after it are not run.
  absl::Status RunConstructors();

  // What the file's addresses are relative to.
  uint64_t load_address() const { return load_address_; }
  // The memory between the first and the last of its segments.
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }

 private:
  LoadedCopy(FileDescriptor file, void* handle, uint64_t load_address, const PrivateCopy& copy);

  absl::Status CallConstructors() const;
  // What is mapped at an address of the file.
  void* Memory(uint64_t address) const;

  // Debuggers read the copy through it: its name is "/proc/<pid>/fd/<N>". Closed once the
  // constructors have run, where it is not to be kept.
  FileDescriptor file_;
  bool keeps_file_;
  void* handle_;  // of dlopen
  uint64_t load_address_;
  uint64_t begin_ = UINT64_MAX;
  uint64_t end_ = 0;
  Constructors constructors_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_LOADED_COPY_H_
