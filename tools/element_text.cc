#include "callbridge/tools/element_text.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "callbridge/abi/float_format.h"
#include "callbridge/abi/shortest_text.h"

namespace callbridge {
namespace {

template <typename T>
T Load(const char* element) {
  T value;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

std::string SmallFloatText(const FloatFormat& format, const char* element) {
  const uint64_t bits =
      BitWidth(format.type) == 16 ? Load<uint16_t>(element) : Load<uint8_t>(element);
  const double value = format.Decode(bits);
  if (std::isnan(value)) return "nan";
  // Fewer digits would also identify the value, but not be a power of 2.
  constexpr int kPowerOfTwoDigits = 9;
  const bool is_power = format.specials == FloatFormat::Specials::kExponentOnly;
  return absl::StrFormat("%.*g", is_power ? kPowerOfTwoDigits : format.Digits(), value);
}

// Returns the shortest text that reads back as the same value.
template <typename Float>
std::string FloatText(const char* element) {
  const Float value = Load<Float>(element);
  if (std::isnan(value)) return "nan";
  return ShortestText(value);
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
    default:
      break;
  }
  const FloatFormat* format = FindFloatFormat(type);
  return format == nullptr ? "?" : SmallFloatText(*format, element);
}

}  // namespace callbridge
