// The C++ types of array elements that C++ itself does not have: half, bfloat16, complex, s4, u4.
#ifndef CALLBRIDGE_HLO_TYPES_H_
#define CALLBRIDGE_HLO_TYPES_H_

#include <complex>
#include <cstdint>
#include <cstring>
#include <ostream>

#include "callbridge/abi/float_format.h"

namespace xla {
inline namespace callbridge_v1 {

using complex64 = std::complex<float>;
using complex128 = std::complex<double>;

// Names that XLA's headers of 2020 had.
using int8 = int8_t;
using int16 = int16_t;
using int32 = int32_t;
using int64 = int64_t;
using uint8 = uint8_t;
using uint16 = uint16_t;
using uint32 = uint32_t;
using uint64 = uint64_t;

// A 4-bit integer in a byte of its own. The upper four bits repeat the sign. Conversion to it drops
// the bits that do not fit.
template <typename Byte>
struct Int4 {
  Byte value = 0;

  Int4() = default;
  template <typename T>
  explicit Int4(T other)
      : value(static_cast<Byte>(static_cast<Byte>(static_cast<Byte>(other) * 16) / 16)) {}
  template <typename T, typename = decltype(static_cast<T>(Byte()))>
  explicit operator T() const {
    return static_cast<T>(value);
  }
  friend bool operator==(Int4 a, Int4 b) { return a.value == b.value; }
  friend bool operator!=(Int4 a, Int4 b) { return a.value != b.value; }
  friend bool operator<(Int4 a, Int4 b) { return a.value < b.value; }
  friend std::ostream& operator<<(std::ostream& out, Int4 a) { return out << int{a.value}; }
};
using s4 = Int4<int8_t>;
using u4 = Int4<uint8_t>;

namespace internal {

// A 16-bit float of the format `type`. Arithmetic is done in float and rounded to nearest even.
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

using half = internal::Float16<::callbridge::PrimitiveType::kF16>;  // IEEE 754 binary16
using bfloat16 =
    internal::Float16<::callbridge::PrimitiveType::kBf16>;  // the upper half of a float
static_assert(sizeof(half) == 2 && sizeof(bfloat16) == 2, "array elements take 2 bytes");

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_TYPES_H_
