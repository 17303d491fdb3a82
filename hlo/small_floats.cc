#include "callbridge/hlo/small_floats.h"

#include <cstring>

namespace xla {
inline namespace callbridge_v1 {
namespace internal {
namespace {

uint32_t BitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float FloatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

constexpr uint32_t kFloatInfinity = 0x7f800000;

}  // namespace

uint16_t HalfFormat::FromFloat(float value) {
  const uint32_t bits = BitsOf(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > kFloatInfinity) return sign | 0x7e00;
  if (magnitude >= 0x47800000) return sign | 0x7c00;  // 65536; from 65520 rounding leads there
  if (magnitude < 0x38800000) {                       // below 2^-14, the least normal half
    // The sum's mantissa counts units of 2^-24, the least half, and the addition has rounded to
    // nearest even.
    const float sum = FloatOf(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(BitsOf(sum) - BitsOf(0.5f));
  }
  const uint32_t odd = magnitude >> 13 & 1;
  return sign | static_cast<uint16_t>((magnitude + 0xfff + odd - ((127 - 15) << 23)) >> 13);
}

float HalfFormat::ToFloat(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16;
  const uint32_t magnitude = (bits & 0x7fffu) << 13;
  constexpr uint32_t kInfinity = 0x7c00u << 13;
  if (magnitude >= kInfinity) return FloatOf(sign | kFloatInfinity | magnitude);
  // The exponent means 2^112 times as much in a float; the product is exact, subnormals too.
  return FloatOf(sign | BitsOf(FloatOf(magnitude) * 0x1p112f));
}

uint16_t BFloat16Format::FromFloat(float value) {
  const uint32_t bits = BitsOf(value);
  if ((bits & 0x7fffffff) > kFloatInfinity) return (bits >> 16 & 0x8000) | 0x7fc0;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float BFloat16Format::ToFloat(uint16_t bits) { return FloatOf(uint32_t{bits} << 16); }

}  // namespace internal
}  // namespace callbridge_v1
}  // namespace xla
