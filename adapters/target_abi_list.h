// The list of all ABIs of custom calls, for use at compile time; target_abis.h is for run time.
//
// To add an ABI:
// 1. Make a folder with its row (target_abi.h) and the code that calls its functions
//    (target_call.h), as in legacy/.
// 2. List the row in kTargetAbis below, and the code in target_abis.cc.
//
// To try an ABI outside of the tree, pass its folder to CMake as CALLBRIDGE_MORE_ABIS. The folder's
// target_abi.h defines CALLBRIDGE_MORE_TARGET_ABIS, a list of pointers to its rows, and its
// target_call.h defines CALLBRIDGE_MORE_UNTYPED_ABIS, a list of UntypedAbi.
//
// Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_TARGET_ABI_LIST_H_
#define CALLBRIDGE_ADAPTERS_TARGET_ABI_LIST_H_

#include "callbridge/abi/target_abi.h"
#include "callbridge/legacy/target_abi.h"
#include "callbridge/status_returning/target_abi.h"
#include "callbridge/typed_ffi/target_abi.h"
#ifdef CALLBRIDGE_MORE_ABIS
#include CALLBRIDGE_MORE_ABIS
#else
#define CALLBRIDGE_MORE_TARGET_ABIS
#endif

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {

// Ordered by number.
inline constexpr const TargetAbi* kTargetAbis[] = {&kOriginalAbi, &kStatusReturningAbi,
                                                   &kStatusReturningUnifiedAbi, &kTypedFfiAbi,
                                                   CALLBRIDGE_MORE_TARGET_ABIS};
#undef CALLBRIDGE_MORE_TARGET_ABIS

}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_TARGET_ABI_LIST_H_
