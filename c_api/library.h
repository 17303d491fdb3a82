// Library and Target: the part of callbridge/callbridge.hpp that opens libraries of custom calls
// and finds targets.
//
// C++17; standard library alone.
#ifndef CALLBRIDGE_C_API_LIBRARY_H_
#define CALLBRIDGE_C_API_LIBRARY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "callbridge/c_api/attribute_values.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/result.h"

namespace callbridge {
inline namespace cpp_v1 {

// Destroys a handle of the C API with `kDestroy`.
template <auto kDestroy>
struct Destroyer {
  // Destroys `handle`; null is ignored.
  template <typename Handle>
  void operator()(Handle* handle) const {
    kDestroy(handle);
  }
};

// Returns "MAJOR.MINOR.PATCH", the version of the library that is loaded.
inline std::string_view Version() { return callbridge_version(); }

// A custom-call function and what is known of it. Owns its texts, and not the functions.
struct Target {
  std::string name;                                          // by which programs call it
  std::string platform = "Host";                             // or "CUDA", "ROCM"
  int32_t api_version = CALLBRIDGE_API_VERSION_UNSPECIFIED;  // CALLBRIDGE_API_VERSION_*
  bool api_version_is_proved = false;  // by the function's type; false: declared
  void* address = nullptr;  // must stay callable while anything made of the target is in use
  std::string evidence;     // how the ABI is known, to show to people; not read
  // The other stages of a typed target, whose execute stage is `address`; null for none.
  void* instantiate = nullptr;
  void* prepare = nullptr;
  void* initialize = nullptr;
  void* record = nullptr;
  // XLA:GPU may record calls into command buffers: as in callbridge_target.
  bool command_buffer_compatible = false;
  std::string content = {};  // of an operator's file: as in callbridge_target; not read
};

// An opened library of custom calls.
class Library {
 public:
  // Opens the library at `path` and runs its constructors in this process.
  static Result<Library> Load(const std::string& path) {
    return Open(&callbridge_library_load, path);
  }
  // Loads it in another process first, which turns a crash of its constructors into an error.
  static Result<Library> LoadIsolated(const std::string& path) {
    return Open(&callbridge_library_load_isolated, path);
  }
  // Lists the targets that are registered in this process now.
  static Result<Library> OfProcess() {
    callbridge_library* library = nullptr;
    if (callbridge_error* error = callbridge_library_of_process(&library)) return Error(error);
    return Library(library);
  }

  // Unloads the library. Returns FAILED_PRECONDITION and leaves it open while something uses it.
  // The destructor does the same, and leaves the library loaded if that fails.
  Result<void> Close() {
    if (callbridge_error* error = callbridge_library_close(handle_.get())) return Error(error);
    static_cast<void>(handle_.release());
    return {};
  }

  // Returns the number of targets that the library registered.
  size_t target_count() const { return callbridge_library_target_count(handle_.get()); }

  // Returns the target at `index`; targets are sorted by name, then platform.
  Result<Target> target(size_t index) const {
    callbridge_target found = {};
    found.struct_size = sizeof(found);
    if (callbridge_error* error = callbridge_library_target(handle_.get(), index, &found)) {
      return Error(error);
    }
    return FromC(found);
  }

  // Returns the function that the library exports as `symbol`, as linkers know it, whether or not
  // it registers it. If `api_version_is_proved` is false, set `api_version` to the ABI that the
  // function has; a call by another one may crash. Fails as callbridge_library_function.
  Result<Target> Function(const std::string& symbol, const std::string& platform = "Host") const {
    if (callbridge_error* error = c_form::CheckNoNul("a symbol", symbol)) return Error(error);
    if (callbridge_error* error = c_form::CheckNoNul("a platform", platform)) return Error(error);
    callbridge_target found = {};
    found.struct_size = sizeof(found);
    if (callbridge_error* error =
            callbridge_library_function(handle_.get(), symbol.c_str(), platform.c_str(), &found)) {
      return Error(error);
    }
    return FromC(found);
  }

  // Returns the target of that name, registered under that spelling of the platform. Returns
  // NOT_FOUND if there is none, and lists what is registered.
  Result<Target> Find(std::string_view name, std::string_view platform = "Host") const {
    for (size_t i = 0; i < target_count(); ++i) {
      Result<Target> found = target(i);
      if (!found || (found->name == name && found->platform == platform)) return found;
    }
    return NotFound(name, platform);
  }

  // Returns the C API's handle, which this object owns; null after a move.
  callbridge_library* get() const { return handle_.get(); }

 private:
  struct CloseQuietly {
    void operator()(callbridge_library* library) const {
      callbridge_error_destroy(callbridge_library_close(library));
    }
  };

  explicit Library(callbridge_library* library) : handle_(library) {}

  static Target FromC(const callbridge_target& found) {
    return Target{found.name,
                  found.platform,
                  found.api_version,
                  found.api_version_is_proved != 0,
                  found.address,
                  found.evidence,
                  found.instantiate,
                  found.prepare,
                  found.initialize,
                  found.record,
                  found.command_buffer_compatible != 0,
                  found.content != nullptr ? found.content : ""};
  }

  // For a name that Find() has not found, so that it has read every target.
  Error NotFound(std::string_view name, std::string_view platform) const {
    std::string registered;
    for (size_t i = 0; i < target_count(); ++i) {
      const Result<Target> found = target(i);
      if (!found) continue;
      registered +=
          (registered.empty() ? "\"" : ", \"") + found->name + "\" for " + found->platform;
    }
    return Error(c_form::kNotFound, "the library has no target \"" + std::string(name) + "\" for " +
                                        std::string(platform) + "; it has " +
                                        (registered.empty() ? "none" : registered));
  }

  template <typename Function>
  static Result<Library> Open(Function* open, const std::string& path) {
    if (callbridge_error* error = c_form::CheckNoNul("a path", path)) return Error(error);
    callbridge_library* library = nullptr;
    if (callbridge_error* error = open(path.c_str(), &library)) return Error(error);
    return Library(library);
  }

  std::unique_ptr<callbridge_library, CloseQuietly> handle_;
};

}  // namespace cpp_v1
}  // namespace callbridge

#endif  // CALLBRIDGE_C_API_LIBRARY_H_
