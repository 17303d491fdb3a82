// FloatFormat: the bit layout of every floating-point type, and conversions between types. Uses
// integers only, so that results do not depend on the floating-point mode: XLA:CPU's treats
// subnormal floats as zeros.
#ifndef CALLBRIDGE_ABI_FLOAT_FORMAT_H_
#define CALLBRIDGE_ABI_FLOAT_FORMAT_H_

#include <cstdint>
#include <cstring>

#include "callbridge/abi/primitive_type.h"

namespace callbridge {

// From the highest bit down: the sign, the exponent, the mantissa.
struct FloatFormat {
  // Which bit patterns are not finite numbers.
  enum class Specials {
    kIeee,          // the highest exponent: infinity, NaN
    kNanOnly,       // "FN": the highest exponent with all mantissa bits is NaN
    kNone,          // "FN" of 4 bits: all are numbers
    kNegativeZero,  // "FNUZ": what would be -0 is NaN
    kExponentOnly,  // "FNU": no sign and no zero; all ones are NaN
  };

  PrimitiveType type;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;

  constexpr uint64_t SignBit() const { return uint64_t{1} << (exponent_bits + mantissa_bits); }
  constexpr uint64_t HighestExponent() const { return (uint64_t{1} << exponent_bits) - 1; }
  constexpr uint64_t MantissaMask() const { return (uint64_t{1} << mantissa_bits) - 1; }

  constexpr bool IsNan(uint64_t bits) const {
    const uint64_t magnitude = bits & (SignBit() - 1);
    switch (specials) {
      case Specials::kIeee:
        return magnitude > HighestExponent() << mantissa_bits;
      case Specials::kNanOnly:
      case Specials::kExponentOnly:
        return magnitude == SignBit() - 1;
      case Specials::kNegativeZero:
        return bits == SignBit();
      case Specials::kNone:
        break;
    }
    return false;
  }
  constexpr bool IsInfinite(uint64_t bits) const {
    return specials == Specials::kIeee && (bits & (SignBit() - 1)) == HighestExponent()
                                                                          << mantissa_bits;
  }

  // Returns the NaN that arithmetic produces, without a sign if the type has NaNs with and without
  // one. Returns -0 if the type has no NaN.
  constexpr uint64_t QuietNan() const {
    switch (specials) {
      case Specials::kIeee:
        return HighestExponent() << mantissa_bits | uint64_t{1} << (mantissa_bits - 1);
      case Specials::kNanOnly:
      case Specials::kExponentOnly:
        return SignBit() - 1;
      case Specials::kNegativeZero:
      case Specials::kNone:
        break;
    }
    return SignBit();
  }
  constexpr uint64_t One() const { return static_cast<uint64_t>(bias) << mantissa_bits; }
  // Returns the greatest value that is not NaN: infinity, if there is one.
  constexpr uint64_t Greatest() const {
    switch (specials) {
      case Specials::kIeee:
        return HighestExponent() << mantissa_bits;
      case Specials::kNanOnly:
      case Specials::kExponentOnly:
        return SignBit() - 2;
      case Specials::kNegativeZero:
      case Specials::kNone:
        break;
    }
    return SignBit() - 1;
  }
  constexpr uint64_t Least() const {
    return specials == Specials::kExponentOnly ? 0 : SignBit() | Greatest();
  }
  // Returns how many significant decimal digits tell all numbers apart: one more than 1 +
  // mantissa_bits bits make, rounded up.
  constexpr int Digits() const { return 2 + (mantissa_bits + 1) * 30103 / 100000; }

  // Exact. Infinities stay infinities and NaNs stay NaNs.
  double Decode(uint64_t bits) const;
  // Rounds to the nearest, ties to even. Treats all other values as ConvertFloat() does.
  uint64_t Encode(double value) const;
};

inline constexpr FloatFormat kFloatFormats[] = {
    {PrimitiveType::kF64, 11, 52, 1023, FloatFormat::Specials::kIeee},
    {PrimitiveType::kF32, 8, 23, 127, FloatFormat::Specials::kIeee},
    {PrimitiveType::kF16, 5, 10, 15, FloatFormat::Specials::kIeee},
    {PrimitiveType::kBf16, 8, 7, 127, FloatFormat::Specials::kIeee},
    {PrimitiveType::kF8E5M2, 5, 2, 15, FloatFormat::Specials::kIeee},
    {PrimitiveType::kF8E4M3, 4, 3, 7, FloatFormat::Specials::kIeee},
    {PrimitiveType::kF8E3M4, 3, 4, 3, FloatFormat::Specials::kIeee},
    {PrimitiveType::kF8E4M3FN, 4, 3, 7, FloatFormat::Specials::kNanOnly},
    {PrimitiveType::kF8E4M3B11FNUZ, 4, 3, 11, FloatFormat::Specials::kNegativeZero},
    {PrimitiveType::kF8E5M2FNUZ, 5, 2, 16, FloatFormat::Specials::kNegativeZero},
    {PrimitiveType::kF8E4M3FNUZ, 4, 3, 8, FloatFormat::Specials::kNegativeZero},
    {PrimitiveType::kF4E2M1FN, 2, 1, 1, FloatFormat::Specials::kNone},
    {PrimitiveType::kF8E8M0FNU, 8, 0, 127, FloatFormat::Specials::kExponentOnly},
};

// Returns null if the type is complex or not a floating-point type.
constexpr const FloatFormat* FindFloatFormat(PrimitiveType type) {
  for (const FloatFormat& format : kFloatFormats) {
    if (format.type == type) return &format;
  }
  return nullptr;
}

// Returns value / 2^dropped, rounded to the nearest, ties to even.
constexpr uint64_t ShiftRounded(uint64_t value, int dropped) {
  if (dropped <= 0) return value << -dropped;
  if (dropped > 63) return 0;
  const uint64_t odd = value >> dropped & 1;
  return (value + (uint64_t{1} << (dropped - 1)) - 1 + odd) >> dropped;
}

// Converts a number from one format to another, to the nearest, ties to even.
//
// A number that is too large becomes infinity; NaN if the format has no infinity; the greatest
// number if it has no NaN either. NaNs become quiet and keep their sign; an IEEE format that holds
// all of the other's mantissa keeps the mantissa too. kExponentOnly has neither 0 nor a sign: 0 and
// all numbers with a sign become NaN, and a number that is too small becomes the least one.
//
// Inline, since little of it is left when the compiler knows the formats.
[[gnu::always_inline]] constexpr uint64_t ConvertFloat(const FloatFormat& from, uint64_t bits,
                                                       const FloatFormat& to) {
  using Specials = FloatFormat::Specials;
  const bool from_ieee = from.specials == Specials::kIeee;
  const bool to_ieee = to.specials == Specials::kIeee;
  const bool from_exponent = from.specials == Specials::kExponentOnly;
  const bool to_exponent = to.specials == Specials::kExponentOnly;
  const bool negative = (bits & from.SignBit()) != 0;
  const uint64_t sign = negative && !to_exponent ? to.SignBit() : 0;
  int dropped = from.mantissa_bits - to.mantissa_bits;
  // One format is the other's upper part. Numbers of one sign are ordered as their bits are,
  // infinities too, so rounding the bits rounds the number, and a carry goes into the exponent.
  if (from_ieee && to_ieee && from.bias == to.bias && (dropped <= 0 || !from.IsNan(bits))) {
    return ShiftRounded(bits, dropped);
  }
  if (from.IsNan(bits)) {
    // Only the sign bit can be set here, and that pattern is NaN.
    if (from.specials == Specials::kNegativeZero) return to.QuietNan();
    if (!from_ieee || !to_ieee || dropped > 0) return sign | to.QuietNan();
    return sign | to.Greatest() | (bits & from.MantissaMask()) << -dropped;
  }
  const bool has_beyond = to_ieee || to.specials == Specials::kNone;
  const uint64_t beyond = sign | (has_beyond ? to.Greatest() : to.QuietNan());
  if (from.IsInfinite(bits)) return negative && to_exponent ? to.QuietNan() : beyond;
  uint64_t magnitude = bits & (from.SignBit() - 1);
  const bool is_zero = magnitude == 0 && !from_exponent;
  if (to_exponent && (negative || is_zero)) return to.QuietNan();
  const bool has_negative_zero = to.specials != Specials::kNegativeZero;
  if (is_zero) return has_negative_zero ? sign : 0;

  int exponent = static_cast<int>(magnitude >> from.mantissa_bits);
  magnitude &= from.MantissaMask();
  if (exponent == 0 && !from_exponent) {
    // A subnormal number gets a leading 1 as well.
    const int shift = from.mantissa_bits - (63 - __builtin_clzll(magnitude));
    magnitude <<= shift;
    exponent = 1 - shift;
  } else {
    magnitude |= uint64_t{1} << from.mantissa_bits;
  }
  exponent += to.bias - from.bias;
  if (to_exponent && exponent < 0) return to.Least();
  if (!to_exponent && exponent < 1) {
    dropped += 1 - exponent;
    exponent = 1;
  }
  // The leading 1 counts for one exponent; a subnormal number has lost it.
  magnitude = ShiftRounded(magnitude, dropped) +
              (static_cast<uint64_t>(exponent) << to.mantissa_bits) -
              (uint64_t{1} << to.mantissa_bits);
  if (magnitude > to.Greatest()) return beyond;
  return magnitude == 0 && !has_negative_zero ? 0 : sign | magnitude;
}

inline double FloatFormat::Decode(uint64_t bits) const {
  const uint64_t as_double = ConvertFloat(*this, bits, *FindFloatFormat(PrimitiveType::kF64));
  double value;
  std::memcpy(&value, &as_double, sizeof(value));
  return value;
}

inline uint64_t FloatFormat::Encode(double value) const {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return ConvertFloat(*FindFloatFormat(PrimitiveType::kF64), bits, *this);
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_FLOAT_FORMAT_H_
