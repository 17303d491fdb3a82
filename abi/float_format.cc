#include "callbridge/abi/float_format.h"

#include <cstring>

namespace callbridge {
namespace {

constexpr const FloatFormat& kDouble = *FindFloatFormat(PrimitiveType::kF64);

}  // namespace

double FloatFormat::Decode(uint64_t bits) const {
  const uint64_t as_double = ConvertFloat(*this, bits, kDouble);
  double value;
  std::memcpy(&value, &as_double, sizeof(value));
  return value;
}

uint64_t FloatFormat::Encode(double value) const {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return ConvertFloat(kDouble, bits, *this);
}

}  // namespace callbridge
