// xla::half and xla::bfloat16: floats of 16 bits, which C++ has not.
#ifndef CALLBRIDGE_HLO_SMALL_FLOATS_H_
#define CALLBRIDGE_HLO_SMALL_FLOATS_H_

#include <cstdint>
#include <ostream>

#include "callbridge/abi/exported.h"

namespace xla {
inline namespace callbridge_v1 {
namespace internal {

// Bits, which are those of 1 sign, `Format::kExponentBits` and the rest. Computes in float, and
// rounds to the nearest, ties to even.
template <typename Format>
struct Float16 {
  uint16_t x = 0;

  Float16() = default;
  explicit Float16(float value) : x(Format::FromFloat(value)) {}
  template <typename T, typename = decltype(static_cast<float>(T()))>
  explicit Float16(const T& value) : Float16(static_cast<float>(value)) {}
  explicit operator float() const { return Format::ToFloat(x); }
  explicit operator double() const { return Format::ToFloat(x); }
  template <typename T, typename = decltype(static_cast<T>(float()))>
  explicit operator T() const {
    return static_cast<T>(Format::ToFloat(x));
  }

  static Float16 FromBits(uint16_t bits) {
    Float16 result;
    result.x = bits;
    return result;
  }

  friend Float16 operator+(Float16 a, Float16 b) { return Float16(float(a) + float(b)); }
  friend Float16 operator-(Float16 a, Float16 b) { return Float16(float(a) - float(b)); }
  friend Float16 operator*(Float16 a, Float16 b) { return Float16(float(a) * float(b)); }
  friend Float16 operator/(Float16 a, Float16 b) { return Float16(float(a) / float(b)); }
  friend Float16 operator-(Float16 a) { return FromBits(a.x ^ 0x8000); }
  friend bool operator==(Float16 a, Float16 b) { return float(a) == float(b); }
  friend bool operator!=(Float16 a, Float16 b) { return float(a) != float(b); }
  friend bool operator<(Float16 a, Float16 b) { return float(a) < float(b); }
  friend bool operator<=(Float16 a, Float16 b) { return float(a) <= float(b); }
  friend bool operator>(Float16 a, Float16 b) { return float(a) > float(b); }
  friend bool operator>=(Float16 a, Float16 b) { return float(a) >= float(b); }
  friend std::ostream& operator<<(std::ostream& out, Float16 value) { return out << float(value); }
};

// IEEE 754 binary16.
struct CALLBRIDGE_EXPORTED HalfFormat {
  static uint16_t FromFloat(float value);
  static float ToFloat(uint16_t bits);
};

// The upper half of a float.
struct CALLBRIDGE_EXPORTED BFloat16Format {
  static uint16_t FromFloat(float value);
  static float ToFloat(uint16_t bits);
};

}  // namespace internal

using half = internal::Float16<internal::HalfFormat>;
using bfloat16 = internal::Float16<internal::BFloat16Format>;
static_assert(sizeof(half) == 2 && sizeof(bfloat16) == 2, "they are array elements");

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_SMALL_FLOATS_H_
