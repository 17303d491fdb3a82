// LibraryTarget: a registered target, and how its ABI is known.
#ifndef CALLBRIDGE_LOADER_LIBRARY_TARGET_H_
#define CALLBRIDGE_LOADER_LIBRARY_TARGET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "callbridge/abi/api_version.h"
#include "callbridge/legacy/target_registry.h"
#include "callbridge/loader/function_names.h"
#include "callbridge/typed_ffi/host/handler_registry.h"

namespace callbridge {

struct LibraryTarget {
  // As it was registered; the platform may be one that callbridge does not know.
  RegisteredTarget registered;
  // Its ABI where the function's type proves one; kUnspecified elsewhere.
  ApiVersion api_version = ApiVersion::kUnspecified;
  // For people, one line: "symbol do_custom_call(void*, void const**)".
  std::string evidence;
  // A typed handler's other stages, as in Target; its `execute` is the registered address.
  XLA_FFI_Handler_Bundle stages = {};
};

// Whether the registering code has shown the function's type, and there is such an ABI.
bool HasItsType(const RegisteredTarget& target);

// A target that was registered with its type.
LibraryTarget WithItsType(const RegisteredTarget& target);

// A typed FFI handler that was registered with callbridge as the runtime.
LibraryTarget OfHandler(const host::RegisteredHandler& handler);

// The targets and the handlers, by name, then platform, handlers first.
std::vector<LibraryTarget> WithHandlers(std::vector<LibraryTarget> targets,
                                        const std::vector<host::RegisteredHandler>& handlers);

// With its type if it was registered with it, or else with what the symbols at its address prove,
// in the file that `names` are of, which was loaded at `load_address`.
LibraryTarget WithEvidence(const RegisteredTarget& target, const FunctionNames& names,
                           uint64_t load_address);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_LIBRARY_TARGET_H_
