// The floating-point types of 16 bits, by way of float, in any floating-point mode: that of XLA:CPU
// takes subnormal floats for zeros, and a subnormal Half is still a number there. (xla::half of
// hlo/small_floats.h is for the mode in which programs run.)
#ifndef CALLBRIDGE_CLIENT_SMALL_FLOATS_H_
#define CALLBRIDGE_CLIENT_SMALL_FLOATS_H_

#include <cstdint>
#include <cstring>

namespace callbridge::client {

// IEEE binary16.
class Half {
 public:
  Half() = default;
  explicit Half(float value) : bits_(Round(value)) {}

  explicit operator float() const {
    const uint32_t sign = static_cast<uint32_t>(bits_ & 0x8000) << 16;
    const uint32_t exponent = bits_ >> 10 & 31;
    const uint32_t mantissa = bits_ & 0x3ff;
    if (exponent == 0) {
      // The mantissa counts in units of 2^-24, all of which are normal numbers of float.
      const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
      return sign != 0 ? -magnitude : magnitude;
    }
    uint32_t bits = sign | (exponent + 112) << 23 | mantissa << 13;
    // NaNs become quiet.
    if (exponent == 31) bits = sign | 0x7f800000 | mantissa << 13 | (mantissa != 0) << 22;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }

 private:
  // To the nearest, ties to even.
  static uint16_t Round(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return sign | 0x7e00 | (bits >> 13 & 0x3ff);
    if (bits >= 0x477ff000) return sign | 0x7c00;
    if (bits >= 0x38800000) {
      const uint32_t rounded = bits + 0xfff + (bits >> 13 & 1);
      return sign | ((rounded >> 13) - (112 << 10));
    }
    // Subnormal: in units of 2^-24.
    const uint32_t exponent = bits >> 23;
    if (exponent < 102) return sign;
    const uint32_t mantissa = (bits & 0x7fffff) | 0x800000;
    const uint32_t dropped = 126 - exponent;
    const uint32_t half = uint32_t{1} << (dropped - 1);
    const uint32_t kept = mantissa >> dropped;
    return sign | ((mantissa + half - 1 + (kept & 1)) >> dropped);
  }

  uint16_t bits_ = 0;
};

// The upper half of a float.
class BFloat16 {
 public:
  BFloat16() = default;
  explicit BFloat16(float value) : bits_(Round(value)) {}

  explicit operator float() const {
    const uint32_t bits = static_cast<uint32_t>(bits_) << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  bool IsZero() const { return (bits_ & 0x7fff) == 0; }

 private:
  static uint16_t Round(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000) return bits >> 16 | 0x40;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  }

  uint16_t bits_ = 0;
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_SMALL_FLOATS_H_
