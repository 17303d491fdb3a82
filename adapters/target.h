// Target: a custom-call function and what is known about it.
#ifndef CALLBRIDGE_ADAPTERS_TARGET_H_
#define CALLBRIDGE_ADAPTERS_TARGET_H_

#include <memory>
#include <string>

#include "callbridge/abi/api_version.h"
#include "callbridge/abi/platform.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): new members come last.
struct Target {
  std::string name;
  Platform platform = Platform::kHost;
  // The function's ABI; kUnspecified if it is neither proved nor declared.
  ApiVersion api_version = ApiVersion::kUnspecified;
  // True if the function's own type proves it (its mangled name, or the source that registered it);
  // false if the caller declared it. Declarations of version 1 are often wrong about the status, so
  // a target that is only declared gets a status all the same.
  bool api_version_is_proved = false;
  // Must stay callable as long as anything is bound to it.
  void* address = nullptr;
  // Keeps the function's library loaded, if callbridge could unload it. BoundCalls and entry points
  // hold on to it.
  std::shared_ptr<const void> library = nullptr;
  // The other stages of a typed handler, null for those that it does not have. `execute` is not
  // read; `address` is used.
  XLA_FFI_Handler_Bundle stages = {};
  // What XLA may do with the target besides calling it: bits of XLA_FFI_HANDLER_TRAITS_*. Of a
  // typed handler those that it was registered with and those that it reports; of an untyped
  // target, which has none of its own, those that its user declares.
  XLA_FFI_Handler_Traits traits = 0;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_TARGET_H_
