// Floats of 16 bits and less, by their formats.
#ifndef CALLBRIDGE_HLO_SMALL_FLOAT_FORMAT_H_
#define CALLBRIDGE_HLO_SMALL_FLOAT_FORMAT_H_

#include <cstdint>

#include "callbridge/hlo/xla_data_proto.h"

namespace callbridge::hlo {

struct SmallFloatFormat {
  enum class Specials {
    kIeee,        // infinities and NaNs under the largest exponent
    kOneNan,      // "FN": all ones is a NaN, and there are no infinities
    kNoSpecials,  // no NaN either
    kFnuz,        // no infinities and no -0, whose bits are the NaN
    kExponent,    // "E8M0": an exponent alone, all ones the NaN
  };
  xla::PrimitiveType type;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;
};

// Null for other types.
const SmallFloatFormat* FindSmallFloatFormat(xla::PrimitiveType type);

// The value of the element that these bits are.
double DecodeSmallFloat(const SmallFloatFormat& format, uint16_t bits);

// Bits of 1, and of what is largest and smallest: infinities, where there are any.
uint16_t SmallFloatOne(const SmallFloatFormat& format);
uint16_t SmallFloatMax(const SmallFloatFormat& format);
uint16_t SmallFloatMin(const SmallFloatFormat& format);

// Significant decimal digits that tell all values apart.
int SmallFloatDigits(const SmallFloatFormat& format);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_SMALL_FLOAT_FORMAT_H_
