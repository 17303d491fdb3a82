// XLA's macros that register custom calls, and the class that they construct. Where a macro sees
// the function's type, it registers the function's ABI too.
//
// Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_REGISTER_H_
#define CALLBRIDGE_REGISTER_H_

#include <string>
#include <type_traits>
#include <utility>

#include "callbridge/adapters/function_abi.h"
#include "callbridge/legacy/custom_call_target_registry.h"

namespace xla {
inline namespace callbridge_v1 {

// Registers a target when it is constructed. The macros below make one at namespace scope.
class __attribute__((visibility("hidden"))) RegisterCustomCallTarget {
 public:
  // XLA's constructor. The function's type is not known here.
  RegisterCustomCallTarget(const std::string& name, void* address, const std::string& platform) {
    CustomCallTargetRegistry::Global()->Register(name, address, platform);
  }
  // Takes what XLA's macros cast to void*: functions, pointers and numbers.
  template <typename Address, typename = decltype(reinterpret_cast<void*>(std::declval<Address>()))>
  RegisterCustomCallTarget(const std::string& name, Address&& address,
                           const std::string& platform) {
    using Function = std::remove_pointer_t<std::decay_t<Address>>;
    using Abi = ::callbridge::FunctionAbi<Function>;
    static_assert(
        !Abi::kSwapped,
        "the result comes first: a custom call on Host is void(void* out, const void** in); "
        "one sentence of XLA's documentation swaps the two, its examples do not");
    const bool host = platform == "Host" || platform == "cpu";
    CustomCallTargetRegistry::Global()->RegisterWithVersion(
        name, reinterpret_cast<void*>(address), platform,
        host ? Abi::kVersions.host : Abi::kVersions.gpu);
  }
};

}  // namespace callbridge_v1
}  // namespace xla

// For the macros below.
#define XLA_REGISTER_CUSTOM_CALL_CONCAT(a, b) a##b
#define XLA_REGISTER_CUSTOM_CALL_TARGET_NUMBERED(symbol, function, platform, number) \
  static ::xla::RegisterCustomCallTarget XLA_REGISTER_CUSTOM_CALL_CONCAT(            \
      custom_call_target_register, number)(symbol, function, platform)

// Registers `function` under the name `symbol` for `platform`, both texts, when the library is
// loaded.
#define XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, function, platform) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_NUMBERED(symbol, function, platform, __COUNTER__)
// Same, under the function's own name.
#define XLA_REGISTER_CUSTOM_CALL_TARGET(function, platform) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(#function, function, platform)
// Same, for "Host".
#define XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, function) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, function, "Host")
// Same, under the function's own name for "Host".
#define XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(function) \
  XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(#function, function, "Host")

#endif  // CALLBRIDGE_REGISTER_H_
