// API_VERSION_STATUS_RETURNING, version 2:
//   Host  void(void* out, const void** in, XlaCustomCallStatus*)
//   GPU   void(stream, void** buffers, const char* opaque, size_t opaque_len, XlaCustomCallStatus*)
// API_VERSION_STATUS_RETURNING_UNIFIED, version 3, which on GPU is version 2:
//   Host  void(void* out, const void** in, const char* opaque, size_t opaque_len,
//              XlaCustomCallStatus*)
// target_call.h calls them.
//
// Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_STATUS_RETURNING_TARGET_ABI_H_
#define CALLBRIDGE_STATUS_RETURNING_TARGET_ABI_H_

#include "callbridge/abi/target_abi.h"
#include "callbridge/status_returning/custom_call_status.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {

namespace parameter {
inline constexpr char kStatus[] = "XlaCustomCallStatus_*|XlaCustomCallStatus*";
}
template <>
inline constexpr std::string_view kTypeName<XlaCustomCallStatus_> = "XlaCustomCallStatus_";

inline constexpr TargetAbi kStatusReturningAbi = {
    ApiVersion::kStatusReturning,
    "status_returning",
    "CALLBRIDGE_API_VERSION_STATUS_RETURNING",
    "kStatusReturning",
    "void",
    /*host=*/
    {ApiVersion::kStatusReturning,
     provides::kTuples | provides::kStatus,
     {{Proof::kAbi, {parameter::kOut, parameter::kIn, parameter::kStatus}},
      {Proof::kSwappedArguments, {parameter::kIn, parameter::kOut, parameter::kStatus}}},
     /*serves_unknown=*/false},
    /*gpu=*/
    {ApiVersion::kStatusReturning,
     provides::kStream | provides::kOpaque | provides::kStatus,
     {{Proof::kAbi,
       {parameter::kStream, parameter::kBuffers, parameter::kOpaque, parameter::kOpaqueSize,
        parameter::kStatus}},
      // Version 3's type on Host, with which portable code is registered for GPUs too.
      {Proof::kAbiInSource,
       {parameter::kOut, parameter::kIn, parameter::kOpaque, parameter::kOpaqueSize,
        parameter::kStatus}}},
     /*serves_unknown=*/true},
};

inline constexpr TargetAbi kStatusReturningUnifiedAbi = {
    ApiVersion::kStatusReturningUnified,
    "status_returning_unified",
    "CALLBRIDGE_API_VERSION_STATUS_RETURNING_UNIFIED",
    "kStatusReturningUnified",
    "void",
    /*host=*/
    {ApiVersion::kStatusReturningUnified,
     provides::kTuples | provides::kOpaque | provides::kStatus,
     {{Proof::kAbi,
       {parameter::kOut, parameter::kIn, parameter::kOpaque, parameter::kOpaqueSize,
        parameter::kStatus}}},
     /*serves_unknown=*/false},
    /*gpu=*/
    {ApiVersion::kStatusReturning,
     provides::kStream | provides::kOpaque | provides::kStatus,
     {},
     /*serves_unknown=*/false},
};

}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_STATUS_RETURNING_TARGET_ABI_H_
