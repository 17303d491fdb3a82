// The floating-point mode of the calling thread, in the bits of its machine's control register.
#ifndef CALLBRIDGE_TESTS_FLOATING_POINT_MODE_H_
#define CALLBRIDGE_TESTS_FLOATING_POINT_MODE_H_

#include <cstdint>

#include "callbridge/abi/machine.h"

namespace callbridge {

#if defined(__x86_64__)
// Without the flags of what has happened.
inline uint32_t FloatingPointMode() { return FloatingPointControl() & ~0x3fu; }
inline constexpr uint32_t kDefaultMode = 0x1f80;     // of a process that starts
inline constexpr uint32_t kTowardZeroMode = 0x7f80;  // the same, but for the rounding
inline constexpr uint32_t kXlaMode = 0x9fc0;  // in which jaxlib 0.6.2 and 0.10.2 call handlers
#else
inline uint32_t FloatingPointMode() { return FloatingPointControl(); }
inline constexpr uint32_t kDefaultMode = 0;
inline constexpr uint32_t kTowardZeroMode = 0xc00000;
inline constexpr uint32_t kXlaMode = 0x1000000;
#endif

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_FLOATING_POINT_MODE_H_
