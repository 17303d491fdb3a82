// Target: a custom-call function and what is known of it.
#ifndef CALLBRIDGE_ADAPTERS_TARGET_H_
#define CALLBRIDGE_ADAPTERS_TARGET_H_

#include <memory>
#include <string>

#include "callbridge/abi/api_version.h"
#include "callbridge/abi/platform.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

struct Target {
  std::string name;
  Platform platform = Platform::kHost;
  // Its ABI; kUnspecified where that is neither proved nor declared.
  ApiVersion api_version = ApiVersion::kUnspecified;
  // True if the function's own type says so (its mangled name, or the source that registered it);
  // false where somebody declared it. Declarations of version 1 are often wrong about a status, so
  // such a target is given one all the same.
  bool api_version_is_proved = false;
  // Must stay callable for as long as anything is bound to it.
  void* address = nullptr;
  // What keeps it so, where callbridge could unload it: BoundCalls and entry points hold on to
  // this.
  std::shared_ptr<const void> library = nullptr;
  // A typed handler's other stages, each null where it has none; `execute` is not read, since that
  // is `address`.
  XLA_FFI_Handler_Bundle stages = {};
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_TARGET_H_
