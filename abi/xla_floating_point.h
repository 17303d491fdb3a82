// The floating-point mode in which XLA:CPU calls its targets: subnormal numbers are read and
// written as zeros, and both the SSE and the x87 unit round to nearest. Results in another mode
// differ in bits. Measured in targets called by TensorFlow 2.13.1 and jaxlib 0.4.30, 0.6.2 and
// 0.10.2, at all stages and in tasks of their thread pools.
#ifndef CALLBRIDGE_ABI_XLA_FLOATING_POINT_H_
#define CALLBRIDGE_ABI_XLA_FLOATING_POINT_H_

#include <fenv.h>
#include <xmmintrin.h>

#include <cstdint>

namespace callbridge {

// Bits of SSE's control register.
inline constexpr unsigned kFlushToZero = 0x8000;
inline constexpr unsigned kDenormalsAreZero = 0x0040;

// Sets the mode for one call on the caller's thread; the destructor restores the thread's own mode.
// Which exceptions trap stays as the thread has it, as in XLA.
class XlaFloatingPoint {
 public:
  XlaFloatingPoint() {
    __asm__ volatile("fnstcw %0" : "=m"(saved_x87_));
    if ((saved_x87_ & kX87RoundingMode) != 0) {
      SetX87(static_cast<uint16_t>(saved_x87_ & ~kX87RoundingMode));
    }
    _mm_setcsr((saved_ & ~kRoundingMode) | kFlushToZero | kDenormalsAreZero);
  }
  ~XlaFloatingPoint() {
    _mm_setcsr(saved_);
    if ((saved_x87_ & kX87RoundingMode) != 0) SetX87(saved_x87_);
  }
  XlaFloatingPoint(const XlaFloatingPoint&) = delete;
  XlaFloatingPoint& operator=(const XlaFloatingPoint&) = delete;

 private:
  static constexpr unsigned kRoundingMode = 0x6000;
  static constexpr uint16_t kX87RoundingMode = 0x0c00;

  static void SetX87(uint16_t mode) { __asm__ volatile("fldcw %0" : : "m"(mode)); }

  uint16_t saved_x87_;
  const unsigned saved_ = _mm_getcsr();
};

// Sets the mode permanently, on a thread of callbridge's own, which would otherwise inherit the
// mode of the thread that started it. No exception traps.
inline void UseXlaFloatingPoint() {
  fesetenv(FE_DFL_ENV);
  _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_XLA_FLOATING_POINT_H_
