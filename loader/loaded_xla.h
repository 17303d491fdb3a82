// LoadedXla: a genuine XLA that this process has loaded, and that exports no function to register a
// custom call with, such as the one inside PyTorch/XLA's extension module. Its file's symbol table
// lists the functions all the same, unless the file was stripped.
//
// The functions, their names and their types are XLA's own, which other releases may change. So all
// that can be checked is checked before one of them is called.
#ifndef CALLBRIDGE_LOADER_LOADED_XLA_H_
#define CALLBRIDGE_LOADER_LOADED_XLA_H_

#include <link.h>

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

class LoadedXla {
 public:
  // Reads the symbol tables of the file at `path`, which this process has loaded. It stays loaded
  // until the process ends, as does the result, which is the same for each call. Functions that are
  // missing are an error of what needs them.
  //
  // Returns NOT_FOUND if the file does not exist or is not loaded; FAILED_PRECONDITION if it was
  // replaced after it had been loaded; INVALID_ARGUMENT if it cannot be parsed. Thread-safe.
  static absl::StatusOr<const LoadedXla*> Find(const std::string& path);

  LoadedXla(const LoadedXla&) = delete;
  LoadedXla& operator=(const LoadedXla&) = delete;

  // Registers an untyped function with xla::CustomCallTargetRegistry, which compares `platform`
  // exactly. Succeeds if it has the same function under that name. XLA knows the function, which
  // must stay callable, until the process ends. Thread-safe.
  //
  // Returns FAILED_PRECONDITION if the file has no such registry, and names the missing symbol;
  // UNIMPLEMENTED if it is compiled with std::string of the old ABI, which the status of a
  // version-3 call holds; ALREADY_EXISTS if another function has the name.
  absl::Status RegisterFunction(const std::string& name, const std::string& platform,
                                void* function) const;

  // Registers typed FFI handlers, which must fit this XLA's version: AdaptHandlers() makes them
  // fit. XLA knows them until the process ends.
  //
  // Returns FAILED_PRECONDITION if the file has no FFI, and names the missing symbol; UNIMPLEMENTED
  // if the handlers have a stage INSTANTIATE and this XLA has none; INTERNAL with XLA's message if
  // it refuses the handlers, as it does if others have the name.
  absl::Status RegisterHandlers(const std::string& name, const std::string& platform,
                                const XLA_FFI_Handler_Bundle& handlers,
                                XLA_FFI_Handler_Traits traits = 0) const;

 private:
  // The addresses of what was found, null if it was not.
  struct Functions {
    void* global = nullptr;
    void* register_function = nullptr;
    void* lookup = nullptr;
    bool has_old_strings = false;  // it has Register with strings of the old ABI
    void* ffi_api = nullptr;
  };

  LoadedXla(std::string path, const Functions& functions)
      : path_(std::move(path)), functions_(functions) {}

  static absl::StatusOr<Functions> Search(const std::string& path, const link_map& library);
  absl::Status Missing(absl::string_view function, absl::string_view symbol) const;

  std::string path_;
  Functions functions_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_LOADED_XLA_H_
