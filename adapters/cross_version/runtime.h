// CrossVersionRuntime: a runtime that calls cross-version handlers, and what its API table has.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_RUNTIME_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_RUNTIME_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {

// Thread-safe. A process may have several: each API table is one.
class CrossVersionRuntime {
 public:
  // Returns the runtime of a table, which must live as long as the process. Never freed.
  static CrossVersionRuntime& Of(const XLA_FFI_Api* api);

  const XLA_FFI_Api* api() const { return api_; }
  const typed_ffi::RuntimeVersion& version() const { return *version_; }
  // The runtime's number of the stage EXECUTE.
  XLA_FFI_ExecutionStage execute() const { return execute_; }
  // Whether it is callbridge's own (typed_ffi/host), which knows callbridge's types by their ids.
  bool is_callbridge() const { return is_callbridge_; }

  // Null if the runtime has no such function.
  template <typename Function>
  Function* Find(typed_ffi::ApiFunction function) const {
    return typed_ffi::FunctionAt<Function>(*api_, *version_, function);
  }

  // Writes the runtime's id of the type `name`, which it registers the first time; `deleter` is for
  // runtimes that have deleters with types. If the runtime has the name already, that must be by
  // the id in `*id`, which may be 0. Returns null or the runtime's error, UNIMPLEMENTED if it has
  // no types.
  XLA_FFI_Error* FindType(absl::string_view name, void (*deleter)(void*), XLA_FFI_TypeId* id);

  // Likewise, of a type that no other code names, with the id in `*id`, which no other type of the
  // process has, where the runtime takes ids. The CUDA plugin of jax 0.8.3 assigns the id 1 to the
  // first type that its API registers, though JAX has registered a type as 1 by its extension, and
  // then deletes states of the one by the deleter of the other.
  XLA_FFI_Error* FindOwnType(absl::string_view name, void (*deleter)(void*), XLA_FFI_TypeId* id);

  // The runtime's id of the type of states that callbridge holds (cross_version/state.cc); 0 until
  // it is found, so that calls need not look it up.
  std::atomic<int64_t>& held_state_type() { return held_state_type_; }

  // Makes an error of the runtime. `message` must be NUL-terminated.
  XLA_FFI_Error* MakeError(XLA_FFI_Error_Code code, const char* message) const;
  void DestroyError(XLA_FFI_Error* error) const;
  // A message for UNIMPLEMENTED: "`what` needs the XLA FFI 0.1 of jaxlib 0.6 or newer; this runtime
  // speaks ...".
  std::string DescribeMissing(absl::string_view what,
                              const typed_ffi::RuntimeVersion& first_that_has_it) const;
  std::string DescribeMissing(typed_ffi::ApiFunction function) const;

 private:
  explicit CrossVersionRuntime(const XLA_FFI_Api* api);

  XLA_FFI_Error* RegisterType(absl::string_view name, void (*deleter)(void*), XLA_FFI_TypeId* id);

  const XLA_FFI_Api* const api_;
  const typed_ffi::RuntimeVersion* const version_;
  const XLA_FFI_ExecutionStage execute_;
  const bool is_callbridge_;
  std::atomic<int64_t> held_state_type_{0};
  std::mutex mutex_;
  std::map<std::string, XLA_FFI_TypeId, std::less<>> types_;
  std::deque<XLA_FFI_TypeInfo> infos_;  // of those
};

// The function's name in c_api.h, such as "XLA_FFI_RunId_Get".
const char* ApiFunctionName(typed_ffi::ApiFunction function);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_RUNTIME_H_
