// What instructions on f32 and f64 and conversions have in common.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "instruction.h"

namespace standin::ptx {

template <typename F>
F FromBits(uint64_t bits) {
  std::conditional_t<sizeof(F) == 4, uint32_t, uint64_t> narrow = bits;
  F value;
  memcpy(&value, &narrow, sizeof value);
  return value;
}

template <typename F>
uint64_t ToBits(F value) {
  std::conditional_t<sizeof(F) == 4, uint32_t, uint64_t> bits;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

// The NaN that the hardware makes.
template <typename F>
F Canonical() {
  return FromBits<F>(sizeof(F) == 4 ? uint64_t{0x7fffffff} : uint64_t{0xfff8000000000000});
}

template <typename F>
F Flush(F value, bool ftz) {
  return ftz && sizeof(F) == 4 && std::fpclassify(value) == FP_SUBNORMAL
             ? std::copysign(F(0), value)
             : value;
}

// .sat: within [0, 1]; no number is +0.
template <typename F>
F SaturateToOne(F value) {
  return value > 0 ? (value < 1 ? value : F(1)) : F(0);
}

// Sets the processor's rounding mode; back to nearest at the end.
class RoundingMode {
 public:
  explicit RoundingMode(uint8_t rounding) {
    switch (rounding) {
      case kZero:
      case kZeroInteger:
        Set(FE_TOWARDZERO);
        break;
      case kDown:
      case kDownInteger:
        Set(FE_DOWNWARD);
        break;
      case kUp:
      case kUpInteger:
        Set(FE_UPWARD);
        break;
      default:
        break;
    }
  }
  ~RoundingMode() {
    if (changed_) fesetround(FE_TONEAREST);
  }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  void Set(int mode) {
    changed_ = true;
    fesetround(mode);
  }
  bool changed_ = false;
};

}  // namespace standin::ptx
