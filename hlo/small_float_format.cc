#include "callbridge/hlo/small_float_format.h"

#include <cmath>
#include <limits>

namespace callbridge::hlo {
namespace {

using Specials = SmallFloatFormat::Specials;

constexpr SmallFloatFormat kFormats[] = {
    {xla::F16, 5, 10, 15, Specials::kIeee},
    {xla::BF16, 8, 7, 127, Specials::kIeee},
    {xla::F8E5M2, 5, 2, 15, Specials::kIeee},
    {xla::F8E4M3, 4, 3, 7, Specials::kIeee},
    {xla::F8E3M4, 3, 4, 3, Specials::kIeee},
    {xla::F8E4M3FN, 4, 3, 7, Specials::kOneNan},
    {xla::F8E4M3B11FNUZ, 4, 3, 11, Specials::kFnuz},
    {xla::F8E5M2FNUZ, 5, 2, 16, Specials::kFnuz},
    {xla::F8E4M3FNUZ, 4, 3, 8, Specials::kFnuz},
    {xla::F4E2M1FN, 2, 1, 1, Specials::kNoSpecials},
    {xla::F8E8M0FNU, 8, 0, 127, Specials::kExponent},
};

int SignPosition(const SmallFloatFormat& format) {
  return format.exponent_bits + format.mantissa_bits;
}

}  // namespace

const SmallFloatFormat* FindSmallFloatFormat(xla::PrimitiveType type) {
  for (const SmallFloatFormat& format : kFormats) {
    if (format.type == type) return &format;
  }
  return nullptr;
}

double DecodeSmallFloat(const SmallFloatFormat& format, uint16_t bits) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const int largest_exponent = (1 << format.exponent_bits) - 1;
  const int ones = (1 << SignPosition(format)) - 1;
  const int magnitude = bits & ones;
  const int exponent = magnitude >> format.mantissa_bits;
  const int mantissa = magnitude & ((1 << format.mantissa_bits) - 1);
  const bool negative =
      format.specials != Specials::kExponent && (bits >> SignPosition(format) & 1);
  const double sign = negative ? -1 : 1;
  switch (format.specials) {
    case Specials::kIeee:
      if (exponent != largest_exponent) break;
      return std::copysign(mantissa == 0 ? std::numeric_limits<double>::infinity() : kNan, sign);
    case Specials::kOneNan:
      if (magnitude == ones) return std::copysign(kNan, sign);
      break;
    case Specials::kFnuz:
      if (magnitude == 0 && negative) return kNan;
      break;
    case Specials::kExponent:
      return magnitude == ones ? kNan : std::ldexp(1.0, exponent - format.bias);
    case Specials::kNoSpecials:
      break;
  }
  const int significand = exponent == 0 ? mantissa : mantissa | 1 << format.mantissa_bits;
  const int power = (exponent == 0 ? 1 : exponent) - format.bias - format.mantissa_bits;
  return sign * std::ldexp(significand, power);
}

uint16_t SmallFloatOne(const SmallFloatFormat& format) {
  return static_cast<uint16_t>(format.bias << format.mantissa_bits);
}

uint16_t SmallFloatMax(const SmallFloatFormat& format) {
  const int ones = (1 << SignPosition(format)) - 1;
  switch (format.specials) {
    case Specials::kIeee:
      return static_cast<uint16_t>(ones & ~((1 << format.mantissa_bits) - 1));
    case Specials::kOneNan:
    case Specials::kExponent:
      return static_cast<uint16_t>(ones - 1);
    case Specials::kNoSpecials:
    case Specials::kFnuz:
      break;
  }
  return static_cast<uint16_t>(ones);
}

uint16_t SmallFloatMin(const SmallFloatFormat& format) {
  if (format.specials == Specials::kExponent) return 0;
  return static_cast<uint16_t>(SmallFloatMax(format) | 1 << SignPosition(format));
}

int SmallFloatDigits(const SmallFloatFormat& format) {
  return static_cast<int>(std::ceil(1 + (format.mantissa_bits + 1) * std::log10(2.0)));
}

}  // namespace callbridge::hlo
