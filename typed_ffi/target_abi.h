// API_VERSION_TYPED_FFI, version 4: XLA_FFI_Error*(XLA_FFI_CallFrame*), on every platform. What
// calls typed handlers is typed_ffi/host.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_TARGET_ABI_H_
#define CALLBRIDGE_TYPED_FFI_TARGET_ABI_H_

#include "callbridge/abi/target_abi.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {

namespace parameter {
inline constexpr char kCallFrame[] = "XLA_FFI_CallFrame*";
}

// XLA_FFI_REGISTER_HANDLER registers typed handlers, not the macros of the untyped ABIs.
inline constexpr TargetAbi kTypedFfiAbi = {
    ApiVersion::kTypedFfi,
    "typed_ffi",
    "CALLBRIDGE_API_VERSION_TYPED_FFI",
    "kTypedFfi",
    "XLA_FFI_Error*",
    /*host=*/
    {ApiVersion::kTypedFfi,
     provides::kCounts | provides::kShapes | provides::kAttributes,
     {{Proof::kAbiInSymbols, {parameter::kCallFrame}}},
     /*serves_unknown=*/false},
    /*gpu=*/
    {ApiVersion::kTypedFfi,
     provides::kStream | provides::kCounts | provides::kShapes | provides::kAttributes,
     {{Proof::kAbiInSymbols, {parameter::kCallFrame}}},
     /*serves_unknown=*/false},
};

}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_TYPED_FFI_TARGET_ABI_H_
