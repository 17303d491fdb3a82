// The list of all ABIs of custom calls, for what is decided while compiling; target_abis.h is the
// same at run time.
//
// To add one: write its row and the code that calls its functions in a folder of its own, as
// legacy/ has them in target_abi.h and target_call.h; list the row here, and the code in
// target_abis.cc. To try one from outside of the tree, name its folder with CMake's
// CALLBRIDGE_MORE_ABIS: the folder's target_abi.h defines CALLBRIDGE_MORE_TARGET_ABIS, a list of
// pointers to its rows, and its target_call.h CALLBRIDGE_MORE_UNTYPED_ABIS, a list of UntypedAbi.
//
// Standard library alone: this header goes into other people's builds.
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

// By number.
inline constexpr const TargetAbi* kTargetAbis[] = {&kOriginalAbi, &kStatusReturningAbi,
                                                   &kStatusReturningUnifiedAbi, &kTypedFfiAbi,
                                                   CALLBRIDGE_MORE_TARGET_ABIS};
#undef CALLBRIDGE_MORE_TARGET_ABIS

}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_TARGET_ABI_LIST_H_
