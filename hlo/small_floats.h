// xla::half and xla::bfloat16: floats of 16 bits, which C++ has not.
#ifndef CALLBRIDGE_HLO_SMALL_FLOATS_H_
#define CALLBRIDGE_HLO_SMALL_FLOATS_H_

#include <cstdint>
#include <cstring>
#include <ostream>

#include "callbridge/abi/float_format.h"

namespace xla {
inline namespace callbridge_v1 {
namespace internal {

// The type's bits. Computes in float, and rounds to the nearest, ties to even.
template <::callbridge::PrimitiveType type>
struct Float16 {
  uint16_t x = 0;

  Float16() = default;
  explicit Float16(float value) : x(FromFloat(value)) {}
  template <typename T, typename = decltype(static_cast<float>(T()))>
  explicit Float16(const T& value) : Float16(static_cast<float>(value)) {}
  explicit operator float() const { return ToFloat(); }
  explicit operator double() const { return ToFloat(); }
  template <typename T, typename = decltype(static_cast<T>(float()))>
  explicit operator T() const {
    return static_cast<T>(ToFloat());
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

 private:
  using FloatFormat = ::callbridge::FloatFormat;
  static constexpr const FloatFormat& kFormat = *::callbridge::FindFloatFormat(type);
  static constexpr const FloatFormat& kFloat =
      *::callbridge::FindFloatFormat(::callbridge::PrimitiveType::kF32);

  static uint16_t FromFloat(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return static_cast<uint16_t>(::callbridge::ConvertFloat(kFloat, bits, kFormat));
  }
  float ToFloat() const {
    const auto bits = static_cast<uint32_t>(::callbridge::ConvertFloat(kFormat, x, kFloat));
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
};

}  // namespace internal

using half = internal::Float16<::callbridge::PrimitiveType::kF16>;       // IEEE 754 binary16
using bfloat16 = internal::Float16<::callbridge::PrimitiveType::kBf16>;  // a float's upper half
static_assert(sizeof(half) == 2 && sizeof(bfloat16) == 2, "they are array elements");

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_SMALL_FLOATS_H_
