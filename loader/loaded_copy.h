// LoadedCopy: a PrivateCopy that ld.so has mapped and bound.
//
// callbridge runs the copy's constructors, after dlopen() returned, since dlopen() is declared not
// to throw: an exception from a constructor would end the process. If dlopen() is called so that
// the exception passes, ld.so's lock stays locked, and the next thread that opens a library waits
// forever. ld.so runs the constructors of the libraries that the copy needs.
#ifndef CALLBRIDGE_LOADER_LOADED_COPY_H_
#define CALLBRIDGE_LOADER_LOADED_COPY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/loader/files.h"
#include "callbridge/loader/private_copy.h"

namespace callbridge {

class LoadedCopy {
 public:
  // Loads `copy` from `file`, which holds its bytes (WriteCodeFile()). Returns FAILED_PRECONDITION
  // if ld.so refuses it: the message lists all missing symbols or libraries, or else quotes ld.so,
  // and names `path` instead of the copy.
  static absl::StatusOr<std::unique_ptr<LoadedCopy>> Open(const PrivateCopy& copy,
                                                          FileDescriptor file,
                                                          const std::string& path);

  // Runs the library's destructors and unmaps it, unless something else holds it.
  ~LoadedCopy();
  LoadedCopy(const LoadedCopy&) = delete;
  LoadedCopy& operator=(const LoadedCopy&) = delete;

  // Runs the library's constructors. Call it once, on the thread whose RegistrationScope collects
  // what they register. Returns INTERNAL with what() if one throws, and skips those after it.
  absl::Status RunConstructors();

  // Returns the function or variable that the library itself exports under that name; null if it
  // has none.
  void* Exported(const std::string& symbol) const;

  // The address that addresses in the file are relative to.
  uint64_t load_address() const { return load_address_; }
  // The first address of its segments in memory.
  uint64_t begin() const { return begin_; }
  // The address behind its last segment in memory.
  uint64_t end() const { return end_; }

 private:
  LoadedCopy(FileDescriptor file, void* handle, uint64_t load_address, const PrivateCopy& copy);

  absl::Status CallConstructors() const;
  // Returns where an address of the file is mapped.
  void* Memory(uint64_t address) const;

  // Debuggers read the copy through "/proc/<pid>/fd/<N>". Closed after the constructors have run
  // unless keeps_file_.
  FileDescriptor file_;
  bool keeps_file_;
  void* handle_;  // of dlopen
  uint64_t load_address_;
  uint64_t begin_ = UINT64_MAX;
  uint64_t end_ = 0;
  Constructors constructors_;
};

// ---- Self-test

// Tests what every PrivateCopy relies on and no standard promises: that this machine's ld.so leaves
// the values of absolute symbols unchanged, wherever it maps the copy. Loads a library of some
// hundred bytes, made in memory, with a symbol that is bound to this process, and compares where
// its pointers lead.
//
// Returns FAILED_PRECONDITION, naming the C library, if they lead elsewhere. Otherwise fails as
// LoadedCopy::Open(). Does nothing once it has passed. Runs again after a failure, whose cause,
// such as a limit of open files, may be gone.
absl::Status BindingSelfTest();

// Returns the private copy of the self-test's library.
absl::StatusOr<PrivateCopy> MakeSelfTestCopy();

// Loads the self-test's library from `file`, which holds the bytes of `copy`, and compares where
// its pointers lead. Fails as BindingSelfTest().
absl::Status TestBinding(const PrivateCopy& copy, FileDescriptor file);

// Returns FAILED_PRECONDITION, naming the C library, unless `bound`, where a pointer to the bound
// symbol leads, is `expected`.
absl::Status CheckBoundAddress(uint64_t expected, uint64_t bound);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_LOADED_COPY_H_
