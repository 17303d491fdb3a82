// The floating-point mode in which XLA:CPU calls its targets: subnormal numbers are read and
// written as zeros, and all arithmetic rounds to nearest, on x86-64 that of the x87 unit too.
// Results in another mode differ in bits. Measured in targets called by TensorFlow 2.13.1 and
// jaxlib 0.4.30, 0.6.2 and 0.10.2, at all stages and in tasks of their thread pools.
#ifndef CALLBRIDGE_ABI_XLA_FLOATING_POINT_H_
#define CALLBRIDGE_ABI_XLA_FLOATING_POINT_H_

#include <fenv.h>

#include <cstdint>

#include "callbridge/abi/machine.h"

namespace callbridge {

// Has the x87 unit round to nearest while it lives; nothing on a machine that has none.
class X87RoundsToNearest {
#if defined(__x86_64__)
 public:
  X87RoundsToNearest() {
    __asm__ volatile("fnstcw %0" : "=m"(saved_));
    if ((saved_ & kRoundingMode) != 0) Set(static_cast<uint16_t>(saved_ & ~kRoundingMode));
  }
  ~X87RoundsToNearest() {
    if ((saved_ & kRoundingMode) != 0) Set(saved_);
  }
  X87RoundsToNearest(const X87RoundsToNearest&) = delete;
  X87RoundsToNearest& operator=(const X87RoundsToNearest&) = delete;

 private:
  static constexpr uint16_t kRoundingMode = 0x0c00;

  static void Set(uint16_t mode) { __asm__ volatile("fldcw %0" : : "m"(mode)); }

  uint16_t saved_;
#else
 public:
  // Not defaulted: with a constructor of its own a member of this class counts as used.
  X87RoundsToNearest() {}
#endif
};

// Sets the mode for one call on the caller's thread; the destructor restores the thread's own mode.
// Which exceptions trap stays as the thread has it, as in XLA.
class XlaFloatingPoint {
 public:
  XlaFloatingPoint() {
    SetFloatingPointControl((saved_ & ~kThisMachine.rounding_mode) |
                            kThisMachine.flushed_subnormals);
  }
  ~XlaFloatingPoint() { SetFloatingPointControl(saved_); }
  XlaFloatingPoint(const XlaFloatingPoint&) = delete;
  XlaFloatingPoint& operator=(const XlaFloatingPoint&) = delete;

 private:
  const X87RoundsToNearest x87_;
  const uint32_t saved_ = FloatingPointControl();
};

// Sets the mode permanently, on a thread of callbridge's own, which would otherwise inherit the
// mode of the thread that started it. No exception traps.
inline void UseXlaFloatingPoint() {
  fesetenv(FE_DFL_ENV);
  SetFloatingPointControl(FloatingPointControl() | kThisMachine.flushed_subnormals);
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_XLA_FLOATING_POINT_H_
