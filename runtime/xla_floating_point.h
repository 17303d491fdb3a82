// XlaFloatingPoint: the floating-point mode in which XLA:CPU calls its targets.
#ifndef CALLBRIDGE_RUNTIME_XLA_FLOATING_POINT_H_
#define CALLBRIDGE_RUNTIME_XLA_FLOATING_POINT_H_

#include <xmmintrin.h>

namespace callbridge {

// While it lives, the thread that made it reads and writes subnormal numbers as zeros and rounds to
// nearest. Measured in targets called by TensorFlow 2.13.1 and jaxlib 0.4.30 and 0.10.2; without it
// their results differ in bits.
class XlaFloatingPoint {
 public:
  XlaFloatingPoint() { _mm_setcsr((saved_ & ~kRoundingMode) | kFlushToZero | kDenormalsAreZero); }
  ~XlaFloatingPoint() { _mm_setcsr(saved_); }
  XlaFloatingPoint(const XlaFloatingPoint&) = delete;
  XlaFloatingPoint& operator=(const XlaFloatingPoint&) = delete;

 private:
  // Bits of SSE's control register.
  static constexpr unsigned kFlushToZero = 0x8000;
  static constexpr unsigned kRoundingMode = 0x6000;
  static constexpr unsigned kDenormalsAreZero = 0x0040;

  const unsigned saved_ = _mm_getcsr();
};

}  // namespace callbridge

#endif  // CALLBRIDGE_RUNTIME_XLA_FLOATING_POINT_H_
