// LibraryTarget: a registered target, and how its ABI is known.
#ifndef CALLBRIDGE_RUNTIME_LIBRARY_TARGET_H_
#define CALLBRIDGE_RUNTIME_LIBRARY_TARGET_H_

#include <cstdint>
#include <string>

#include "callbridge/abi/api_version.h"
#include "callbridge/legacy/target_registry.h"
#include "callbridge/runtime/function_names.h"

namespace callbridge {

struct LibraryTarget {
  // As it was registered; the platform may be one that callbridge does not know.
  RegisteredTarget registered;
  // Its ABI where the function's type proves one; kUnspecified elsewhere.
  ApiVersion api_version = ApiVersion::kUnspecified;
  // For people, one line: "symbol do_custom_call(void*, void const**)".
  std::string evidence;
};

// A target that was registered with its type.
LibraryTarget WithItsType(const RegisteredTarget& target);

// With its type if it was registered with it, or else with what the symbols at its address prove,
// in the file that `names` are of, which was loaded at `load_address`.
LibraryTarget WithEvidence(const RegisteredTarget& target, const FunctionNames& names,
                           uint64_t load_address);

}  // namespace callbridge

#endif  // CALLBRIDGE_RUNTIME_LIBRARY_TARGET_H_
