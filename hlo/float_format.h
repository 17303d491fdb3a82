// The small binary floating-point types: how 16 bits and fewer make a number, and back.
#ifndef CALLBRIDGE_HLO_FLOAT_FORMAT_H_
#define CALLBRIDGE_HLO_FLOAT_FORMAT_H_

#include <cstdint>

#include "callbridge/abi/primitive_type.h"

namespace callbridge::hlo {

// Which bit patterns are no finite numbers.
enum class Specials {
  kIeee,          // the highest exponent: infinity, NaN
  kNanOnly,       // "FN": the highest exponent with all mantissa bits is NaN
  kNegativeZero,  // "FNUZ": what would be -0 is NaN
};

// From the highest bit down: the sign, the exponent, the mantissa.
struct FloatFormat {
  PrimitiveType type;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;

  uint64_t SignBit() const { return uint64_t{1} << (exponent_bits + mantissa_bits); }
  uint64_t HighestExponent() const { return (uint64_t{1} << exponent_bits) - 1; }
  uint64_t MantissaMask() const { return (uint64_t{1} << mantissa_bits) - 1; }

  bool IsNan(uint64_t bits) const;
  bool IsInfinite(uint64_t bits) const;
  // The NaN that arithmetic makes, without a sign where the type has NaNs with and without.
  uint64_t QuietNan() const;
  // Exact. Infinities and NaNs become such.
  double Decode(uint64_t bits) const;
  // To the nearest, ties to even; what is too large becomes infinity, or NaN where there is none.
  uint64_t Encode(double value) const;
};

// f16, bf16, f32, f64 and the types of 8 bits with a sign. nullptr for all others.
const FloatFormat* FindFloatFormat(PrimitiveType type);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_FLOAT_FORMAT_H_
