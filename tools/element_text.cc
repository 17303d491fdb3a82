#include "callbridge/tools/element_text.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace callbridge {
namespace {

// Which bit patterns are no numbers.
enum class Specials {
  kIeee,          // the highest exponent: infinity, NaN
  kNanOnly,       // "FN": the highest exponent with all mantissa bits
  kNegativeZero,  // "FNUZ": what would be -0
  kNone,          // all are numbers
};

// A sign, the exponent and the mantissa, from the highest bit down.
struct FloatFormat {
  PrimitiveType type;
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;
  int digits;  // decimal digits that tell two neighbours apart
};

constexpr FloatFormat kFloatFormats[] = {
    {PrimitiveType::kF16, 5, 10, 15, Specials::kIeee, 5},
    {PrimitiveType::kBf16, 8, 7, 127, Specials::kIeee, 4},
    {PrimitiveType::kF8E3M4, 3, 4, 3, Specials::kIeee, 3},
    {PrimitiveType::kF8E4M3, 4, 3, 7, Specials::kIeee, 3},
    {PrimitiveType::kF8E4M3FN, 4, 3, 7, Specials::kNanOnly, 3},
    {PrimitiveType::kF8E4M3FNUZ, 4, 3, 8, Specials::kNegativeZero, 3},
    {PrimitiveType::kF8E4M3B11FNUZ, 4, 3, 11, Specials::kNegativeZero, 3},
    {PrimitiveType::kF8E5M2, 5, 2, 15, Specials::kIeee, 2},
    {PrimitiveType::kF8E5M2FNUZ, 5, 2, 16, Specials::kNegativeZero, 2},
    {PrimitiveType::kF4E2M1FN, 2, 1, 1, Specials::kNone, 2},
};

template <typename T>
T Load(const char* element) {
  T value;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

bool IsNan(const FloatFormat& format, bool negative, uint32_t exponent, uint32_t mantissa) {
  const uint32_t highest_exponent = (1u << format.exponent_bits) - 1;
  const uint32_t highest_mantissa = (1u << format.mantissa_bits) - 1;
  switch (format.specials) {
    case Specials::kIeee:
      return exponent == highest_exponent && mantissa != 0;
    case Specials::kNanOnly:
      return exponent == highest_exponent && mantissa == highest_mantissa;
    case Specials::kNegativeZero:
      return negative && exponent == 0 && mantissa == 0;
    case Specials::kNone:
      return false;
  }
  return false;
}

double DecodeFloat(const FloatFormat& format, uint32_t bits) {
  const uint32_t highest_exponent = (1u << format.exponent_bits) - 1;
  const uint32_t mantissa = bits & ((1u << format.mantissa_bits) - 1);
  const uint32_t exponent = bits >> format.mantissa_bits & highest_exponent;
  const bool negative = (bits >> (format.mantissa_bits + format.exponent_bits) & 1) != 0;
  if (IsNan(format, negative, exponent, mantissa)) return std::numeric_limits<double>::quiet_NaN();
  double magnitude;
  if (format.specials == Specials::kIeee && exponent == highest_exponent) {
    magnitude = std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, 1 - format.bias - format.mantissa_bits);
  } else {
    const uint32_t significand = mantissa | 1u << format.mantissa_bits;
    magnitude =
        std::ldexp(significand, static_cast<int>(exponent) - format.bias - format.mantissa_bits);
  }
  return negative ? -magnitude : magnitude;
}

std::string SmallFloatText(const FloatFormat& format, const char* element) {
  const uint32_t bits =
      BitWidth(format.type) == 16 ? Load<uint16_t>(element) : Load<uint8_t>(element);
  const double value = DecodeFloat(format, bits);
  return std::isnan(value) ? "nan" : absl::StrFormat("%.*g", format.digits, value);
}

// An exponent alone: no sign, no zero.
std::string PowerOfTwoText(uint8_t exponent) {
  return exponent == 0xFF ? "nan" : absl::StrFormat("%.9g", std::ldexp(1.0, exponent - 127));
}

// The shortest text that reads as the same value.
template <typename Float>
std::string FloatText(const char* element) {
  const Float value = Load<Float>(element);
  if (std::isnan(value)) return "nan";
  char text[32];
  const std::to_chars_result end = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end.ptr);
}

template <typename Float>
std::string ComplexText(const char* element) {
  return absl::StrCat("(", FloatText<Float>(element), ",",
                      FloatText<Float>(element + sizeof(Float)), ")");
}

template <typename Integer>
std::string IntegerText(const char* element) {
  return std::to_string(Load<Integer>(element));
}

std::string SmallUnsignedText(int bits, const char* element) {
  return std::to_string(Load<uint8_t>(element) & ((1 << bits) - 1));
}

std::string SmallSignedText(int bits, const char* element) {
  const int value = Load<uint8_t>(element) & ((1 << bits) - 1);
  const int sign = 1 << (bits - 1);
  return std::to_string((value ^ sign) - sign);
}

}  // namespace

std::string ElementText(PrimitiveType type, const char* element) {
  for (const FloatFormat& format : kFloatFormats) {
    if (format.type == type) return SmallFloatText(format, element);
  }
  switch (type) {
    case PrimitiveType::kPred:
      return Load<uint8_t>(element) != 0 ? "true" : "false";
    case PrimitiveType::kS1:
    case PrimitiveType::kS2:
    case PrimitiveType::kS4:
      return SmallSignedText(BitWidth(type), element);
    case PrimitiveType::kU1:
    case PrimitiveType::kU2:
    case PrimitiveType::kU4:
      return SmallUnsignedText(BitWidth(type), element);
    case PrimitiveType::kS8:
      return IntegerText<int8_t>(element);
    case PrimitiveType::kS16:
      return IntegerText<int16_t>(element);
    case PrimitiveType::kS32:
      return IntegerText<int32_t>(element);
    case PrimitiveType::kS64:
      return IntegerText<int64_t>(element);
    case PrimitiveType::kU8:
      return IntegerText<uint8_t>(element);
    case PrimitiveType::kU16:
      return IntegerText<uint16_t>(element);
    case PrimitiveType::kU32:
      return IntegerText<uint32_t>(element);
    case PrimitiveType::kU64:
      return IntegerText<uint64_t>(element);
    case PrimitiveType::kF32:
      return FloatText<float>(element);
    case PrimitiveType::kF64:
      return FloatText<double>(element);
    case PrimitiveType::kC64:
      return ComplexText<float>(element);
    case PrimitiveType::kC128:
      return ComplexText<double>(element);
    case PrimitiveType::kF8E8M0FNU:
      return PowerOfTwoText(Load<uint8_t>(element));
    default:
      return "?";
  }
}

}  // namespace callbridge
