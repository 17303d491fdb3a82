// API_VERSION_ORIGINAL, version 1:
//   Host  void(void* out, const void** in)
//   GPU   void(stream, void** buffers, const char* opaque, size_t opaque_len)
// target_call.h calls it where its type is proved; elsewhere it is called as version 2.
//
// Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_LEGACY_TARGET_ABI_H_
#define CALLBRIDGE_LEGACY_TARGET_ABI_H_

#include "callbridge/abi/target_abi.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {

// Real code registers functions of version 1 as version 2 on Host, and the reverse: a function of
// two parameters ignores a third argument. So a declaration does not tell the two apart, and both
// get a status. Only a function whose type proves version 1 gets none.
inline constexpr TargetAbi kOriginalAbi = {
    ApiVersion::kOriginal,
    "original",
    "CALLBRIDGE_API_VERSION_ORIGINAL",
    "kOriginal",
    "void",
    /*host=*/
    {ApiVersion::kStatusReturning,
     provides::kTuples,
     {{Proof::kAbi, {parameter::kOut, parameter::kIn}},
      // One sentence of XLA's documentation has this order, against all of its examples.
      {Proof::kSwappedArguments, {parameter::kIn, parameter::kOut}}},
     /*serves_unknown=*/false},
    /*gpu=*/
    {ApiVersion::kStatusReturning,
     provides::kStream | provides::kOpaque,
     {{Proof::kAbi,
       {parameter::kStream, parameter::kBuffers, parameter::kOpaque, parameter::kOpaqueSize}}},
     /*serves_unknown=*/false},
};

}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_LEGACY_TARGET_ABI_H_
