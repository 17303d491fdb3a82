#include "callbridge/hlo/literal_element.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "callbridge/abi/float_format.h"
#include "callbridge/hlo/primitive_util.h"

namespace callbridge::hlo {
namespace {

template <typename T>
T Load(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

// strtod() would take the decimal point from the process's locale.
bool ReadsAs(const std::string& text, float value) {
  float read;
  return absl::SimpleAtof(text, &read) && read == value;
}
bool ReadsAs(const std::string& text, double value) {
  double read;
  return absl::SimpleAtod(text, &read) && read == value;
}

// With the digits that every value of the type keeps, if they are enough; else with those that tell
// all of them apart.
template <typename Float>
std::string FloatText(Float value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  std::string text = absl::StrFormat("%.*g", std::numeric_limits<Float>::digits10, value);
  if (ReadsAs(text, value)) return text;
  return absl::StrFormat("%.*g", std::numeric_limits<Float>::max_digits10, value);
}

// nullptr where the type is none with one number.
const FloatFormat* FormatOf(xla::PrimitiveType type) {
  return FindFloatFormat(static_cast<PrimitiveType>(type));
}

std::string SmallFloatText(const FloatFormat& format, double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  return absl::StrFormat("%.*g", format.Digits(), value);
}

// Of an integer of fewer than 8 bits, which is in the lowest bits of its byte.
int64_t SubByteInteger(xla::PrimitiveType type, uint8_t byte) {
  const int bits = xla::primitive_util::BitWidth(type);
  const int64_t value = byte & ((1 << bits) - 1);
  const bool negative =
      xla::primitive_util::IsSignedIntegralType(type) && (value >> (bits - 1)) != 0;
  return negative ? value - (1 << bits) : value;
}

}  // namespace

std::string ElementText(xla::PrimitiveType type, const void* element) {
  switch (type) {
    case xla::PRED:
      return Load<uint8_t>(element) != 0 ? "true" : "false";
    case xla::F32:
      return FloatText(Load<float>(element));
    case xla::F64:
      return FloatText(Load<double>(element));
    case xla::C64: {
      const auto value = Load<xla::complex64>(element);
      return absl::StrCat("(", FloatText(value.real()), ", ", FloatText(value.imag()), ")");
    }
    case xla::C128: {
      const auto value = Load<xla::complex128>(element);
      return absl::StrCat("(", FloatText(value.real()), ", ", FloatText(value.imag()), ")");
    }
    case xla::U64:
      return absl::StrCat(Load<uint64_t>(element));
    default:
      break;
  }
  if (const FloatFormat* format = FormatOf(type)) {
    return SmallFloatText(*format, *ElementAsDouble(type, element));
  }
  return absl::StrCat(ElementAsInt64(type, element).value_or(0));
}

std::optional<int64_t> ElementAsInt64(xla::PrimitiveType type, const void* element) {
  switch (type) {
    case xla::PRED:
      return Load<uint8_t>(element) != 0;
    case xla::S8:
      return Load<int8_t>(element);
    case xla::S16:
      return Load<int16_t>(element);
    case xla::S32:
      return Load<int32_t>(element);
    case xla::S64:
      return Load<int64_t>(element);
    case xla::U8:
      return Load<uint8_t>(element);
    case xla::U16:
      return Load<uint16_t>(element);
    case xla::U32:
      return Load<uint32_t>(element);
    case xla::U64: {
      const auto value = Load<uint64_t>(element);
      if (value > std::numeric_limits<int64_t>::max()) return std::nullopt;
      return static_cast<int64_t>(value);
    }
    default:
      if (!xla::primitive_util::IsIntegralType(type)) return std::nullopt;
      return SubByteInteger(type, Load<uint8_t>(element));
  }
}

std::optional<double> ElementAsDouble(xla::PrimitiveType type, const void* element) {
  const FloatFormat* format = FormatOf(type);
  if (format == nullptr) return std::nullopt;
  uint64_t bits = 0;
  std::memcpy(&bits, element, static_cast<size_t>(xla::primitive_util::ByteWidth(type)));
  return format->Decode(bits);
}

}  // namespace callbridge::hlo
