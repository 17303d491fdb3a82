#include "callbridge/hlo/float_format.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace callbridge::hlo {
namespace {

constexpr FloatFormat kFormats[] = {
    {PrimitiveType::kF64, 11, 52, 1023, Specials::kIeee},
    {PrimitiveType::kF32, 8, 23, 127, Specials::kIeee},
    {PrimitiveType::kF16, 5, 10, 15, Specials::kIeee},
    {PrimitiveType::kBf16, 8, 7, 127, Specials::kIeee},
    {PrimitiveType::kF8E3M4, 3, 4, 3, Specials::kIeee},
    {PrimitiveType::kF8E4M3, 4, 3, 7, Specials::kIeee},
    {PrimitiveType::kF8E4M3FN, 4, 3, 7, Specials::kNanOnly},
    {PrimitiveType::kF8E4M3FNUZ, 4, 3, 8, Specials::kNegativeZero},
    {PrimitiveType::kF8E4M3B11FNUZ, 4, 3, 11, Specials::kNegativeZero},
    {PrimitiveType::kF8E5M2, 5, 2, 15, Specials::kIeee},
    {PrimitiveType::kF8E5M2FNUZ, 5, 2, 16, Specials::kNegativeZero},
};

}  // namespace

bool FloatFormat::IsNan(uint64_t bits) const {
  const uint64_t magnitude = bits & (SignBit() - 1);
  switch (specials) {
    case Specials::kIeee:
      return magnitude > HighestExponent() << mantissa_bits;
    case Specials::kNanOnly:
      return magnitude == SignBit() - 1;
    case Specials::kNegativeZero:
      return bits == SignBit();
  }
  return false;
}

bool FloatFormat::IsInfinite(uint64_t bits) const {
  return specials == Specials::kIeee && (bits & (SignBit() - 1)) == HighestExponent()
                                                                        << mantissa_bits;
}

uint64_t FloatFormat::QuietNan() const {
  switch (specials) {
    case Specials::kIeee:
      return HighestExponent() << mantissa_bits | uint64_t{1} << (mantissa_bits - 1);
    case Specials::kNanOnly:
      return SignBit() - 1;
    case Specials::kNegativeZero:
      return SignBit();
  }
  return 0;
}

double FloatFormat::Decode(uint64_t bits) const {
  const bool negative = (bits & SignBit()) != 0;
  double magnitude;
  if (IsNan(bits)) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else if (IsInfinite(bits)) {
    magnitude = std::numeric_limits<double>::infinity();
  } else {
    const uint64_t mantissa = bits & MantissaMask();
    const int exponent = static_cast<int>(bits >> mantissa_bits & HighestExponent());
    magnitude = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                              : std::ldexp(mantissa | uint64_t{1} << mantissa_bits,
                                           exponent - bias - mantissa_bits);
  }
  return negative ? -magnitude : magnitude;
}

uint64_t FloatFormat::Encode(double value) const {
  if (std::isnan(value)) return QuietNan() | (std::signbit(value) ? SignBit() : 0);
  const uint64_t sign = std::signbit(value) ? SignBit() : 0;
  const double magnitude = std::fabs(value);
  const uint64_t beyond =
      specials == Specials::kIeee ? sign | HighestExponent() << mantissa_bits : QuietNan() | sign;
  if (std::isinf(magnitude)) return beyond;
  if (magnitude == 0) return specials == Specials::kNegativeZero ? 0 : sign;

  // In units of the last place of the binade that `magnitude` is in, or of the subnormal numbers.
  int exponent = std::ilogb(magnitude);
  if (exponent < 1 - bias) exponent = 1 - bias;
  const double units = std::ldexp(magnitude, mantissa_bits - exponent);
  // Rounds to even, as the default rounding mode does. A carry goes over into the exponent.
  const auto rounded = static_cast<uint64_t>(std::nearbyint(units));
  const uint64_t smallest = rounded == 0 ? 0 : uint64_t{1} << mantissa_bits;
  const uint64_t bits =
      rounded < smallest
          ? rounded
          : (static_cast<uint64_t>(exponent + bias) << mantissa_bits) + (rounded - smallest);
  if (bits >= SignBit() || IsNan(bits) || IsInfinite(bits)) return beyond;
  if (bits == 0 && specials == Specials::kNegativeZero) return 0;
  return sign | bits;
}

const FloatFormat* FindFloatFormat(PrimitiveType type) {
  for (const FloatFormat& format : kFormats) {
    if (format.type == type) return &format;
  }
  return nullptr;
}

}  // namespace callbridge::hlo
