// Finds the ABI of a custom-call function from its C++ type, for the registration macros.
//
// Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_FUNCTION_ABI_H_
#define CALLBRIDGE_ADAPTERS_FUNCTION_ABI_H_

#include <stddef.h>

#include "callbridge/adapters/target_abi_list.h"

namespace callbridge {
inline namespace callbridge_v1 {

// XLA's api_version numbers; 0 if the type is not a custom call on that platform.
struct FunctionVersions {
  int host = 0;
  int gpu = 0;
};

// Tells whether functions with these parameters have the signature.
template <typename... Parameters>
constexpr bool Matches(const Signature& signature) {
  if (sizeof...(Parameters) > kMaxParameters) return false;
  size_t next = 0;  // an index: with g++'s -fsanitize=undefined comparing pointers is no constant
  return ((!signature.parameters[next].empty() &&
           IsDeclaredAs<Parameters>(signature.parameters[next++])) &&
          ...) &&
         (next == kMaxParameters || signature.parameters[next].empty());
}

// Returns the number of the ABI with such a signature on `platform`, a member of TargetAbi.
template <typename Result, typename... Parameters>
constexpr int NumberOfAbi(PlatformAbi TargetAbi::*platform, Proof proof) {
  for (const TargetAbi* abi : kTargetAbis) {
    if (!IsDeclaredAs<Result>(abi->result)) continue;
    for (const Signature& signature : (abi->*platform).signatures) {
      if (signature.proof == proof && !signature.parameters[0].empty() &&
          Matches<Parameters...>(signature)) {
        return static_cast<int>(abi->number);
      }
    }
  }
  return 0;
}

template <typename Result, typename... Parameters>
constexpr int NumberOfAbi(PlatformAbi TargetAbi::*platform) {
  const int number = NumberOfAbi<Result, Parameters...>(platform, Proof::kAbi);
  return number != 0 ? number : NumberOfAbi<Result, Parameters...>(platform, Proof::kAbiInSource);
}

template <typename Function>
struct FunctionAbi {
  static constexpr FunctionVersions kVersions = {};
  static constexpr bool kSwapped = false;
};

template <typename Result, typename... Parameters>
struct FunctionAbi<Result(Parameters...)> {
  static constexpr FunctionVersions kVersions = {
      NumberOfAbi<Result, Parameters...>(&TargetAbi::host),
      NumberOfAbi<Result, Parameters...>(&TargetAbi::gpu)};
  static constexpr bool kSwapped =
      NumberOfAbi<Result, Parameters...>(&TargetAbi::host, Proof::kSwappedArguments) != 0;
};

template <typename Result, typename... Parameters>
struct FunctionAbi<Result(Parameters...) noexcept> : FunctionAbi<Result(Parameters...)> {};

}  // namespace callbridge_v1
}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_FUNCTION_ABI_H_
