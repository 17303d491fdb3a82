// An ABI that callbridge has not, to prove that one more is a folder and a row:
//   Host  int(void** buffers, int64_t count)
// Its functions get the leaves of the operands, then those of the result, and return 0 for success.
#ifndef CALLBRIDGE_TESTS_ONE_MORE_ABI_TARGET_ABI_H_
#define CALLBRIDGE_TESTS_ONE_MORE_ABI_TARGET_ABI_H_

#include "callbridge/abi/target_abi.h"

#pragma GCC visibility push(hidden)
namespace callbridge {

inline constexpr TargetAbi kCountedAbi = {
    static_cast<ApiVersion>(kFirstOwnApiVersion),
    "counted",
    "CALLBRIDGE_API_VERSION_COUNTED",
    "kCounted",
    "int",
    /*host=*/
    {static_cast<ApiVersion>(kFirstOwnApiVersion),
     provides::kCounts,
     {{Proof::kAbi, {parameter::kBuffers, "long"}}},
     /*serves_unknown=*/false},
    /*gpu=*/{},
};

}  // namespace callbridge
#pragma GCC visibility pop

#define CALLBRIDGE_MORE_TARGET_ABIS &kCountedAbi

#endif  // CALLBRIDGE_TESTS_ONE_MORE_ABI_TARGET_ABI_H_
