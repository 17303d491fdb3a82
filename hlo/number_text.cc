// Single numbers as text, and back.
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/charconv.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "callbridge/abi/float_format.h"
#include "callbridge/abi/shortest_text.h"
#include "callbridge/hlo/literal_text.h"
#include "callbridge/hlo/primitive_util.h"

namespace callbridge::hlo {
namespace {

using Specials = FloatFormat::Specials;

bool IsSigned(PrimitiveType type) {
  return xla::primitive_util::IsSignedIntegralType(static_cast<xla::PrimitiveType>(type));
}

int64_t SignExtended(uint64_t bits, int width) {
  const int above = 64 - width;
  return static_cast<int64_t>(bits << above) >> above;
}

uint64_t Truncated(uint64_t bits, int width) {
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

// `bits` must be a finite number.
std::string FiniteText(const FloatFormat& format, uint64_t bits) {
  const double value = format.Decode(bits);
  // XLA writes "-0", and reads that as the integer 0.
  if (value == 0 && std::signbit(value)) return "-0.0";
  if (format.type == PrimitiveType::kF64) return ShortestText(value);
  if (format.type == PrimitiveType::kF32) return ShortestText(static_cast<float>(value));
  constexpr int kDigitsOf16Bits = 5;  // distinguishes any two values
  return absl::StrFormat("%.*g", kDigitsOf16Bits, value);
}

std::string FloatText(const FloatFormat& format, uint64_t bits) {
  if (!format.IsNan(bits) && !format.IsInfinite(bits)) return FiniteText(format, bits);
  if (format.specials == Specials::kNegativeZero) return "nan";
  std::string text = (bits & format.SignBit()) != 0 ? "-" : "";
  if (format.IsInfinite(bits)) return absl::StrCat(text, "inf");
  absl::StrAppend(&text, "nan");
  const uint64_t payload = bits & format.MantissaMask();
  if (payload != (format.QuietNan() & format.MantissaMask())) {
    absl::StrAppendFormat(&text, "(0x%x)", payload);
  }
  return text;
}

// Reads up to a character that ends a number.
absl::string_view ReadNumberWord(TextCursor* cursor) { return cursor->ReadUntil(",(){}/ \t\r\n"); }

absl::StatusOr<uint64_t> ReadPred(TextCursor* cursor) {
  const size_t begin = cursor->position();
  const absl::string_view word = ReadNumberWord(cursor);
  if (word == "true") return 1;
  if (word == "false") return 0;
  int64_t value;
  if (absl::SimpleAtoi(word, &value)) return value != 0 ? 1 : 0;
  return cursor->InvalidAt(begin, "expected true, false, 1 or 0");
}

absl::StatusOr<uint64_t> ReadWhole(PrimitiveType type, TextCursor* cursor) {
  const size_t begin = cursor->position();
  const absl::string_view word = ReadNumberWord(cursor);
  const int width = BitWidth(type);
  if (IsSigned(type)) {
    int64_t value;
    if (absl::SimpleAtoi(word, &value) && SignExtended(value, width) == value) {
      return Truncated(value, width);
    }
  } else {
    uint64_t value;
    if (absl::SimpleAtoi(word, &value) && Truncated(value, width) == value) return value;
  }
  return cursor->InvalidAt(
      begin, absl::StrCat("expected a whole number that fits ", PrimitiveTypeName(type)));
}

bool HasSignedNan(const FloatFormat& format) {
  return format.specials == Specials::kIeee || format.specials == Specials::kNanOnly;
}

// Reads the mantissa that may follow "nan", such as "(0x7f)".
absl::StatusOr<uint64_t> ReadNan(const FloatFormat& format, bool negative, TextCursor* cursor) {
  const uint64_t sign = negative && HasSignedNan(format) ? format.SignBit() : 0;
  const size_t begin = cursor->position();
  if (!format.IsNan(format.QuietNan())) {
    return cursor->InvalidAt(
        begin, absl::StrCat(PrimitiveTypeName(format.type), " has no NaN; expected a number"));
  }
  if (!cursor->Consume("(")) return sign | format.QuietNan();
  const absl::string_view word = ReadNumberWord(cursor);
  uint64_t payload;
  if (format.specials != Specials::kIeee || !absl::StartsWith(word, "0x") ||
      !absl::SimpleHexAtoi(word, &payload) || payload == 0 || payload > format.MantissaMask()) {
    return cursor->InvalidAt(begin, absl::StrCat("expected the mantissa of a NaN of type ",
                                                 PrimitiveTypeName(format.type)));
  }
  if (absl::Status status = cursor->Expect(")"); !status.ok()) return status;
  return sign | format.HighestExponent() << format.mantissa_bits | payload;
}

template <typename Float>
bool ReadWholeWord(absl::string_view word, Float* value) {
  const char* end = word.data() + word.size();
  const absl::from_chars_result result = absl::from_chars(word.data(), end, *value);
  // Like XLA, reads numbers that are too small as 0.
  const bool in_range = result.ec == std::errc() || std::fabs(*value) < Float{1};
  return in_range && result.ptr == end && !word.empty();
}

absl::StatusOr<uint64_t> ReadFloat(const FloatFormat& format, TextCursor* cursor) {
  const size_t begin = cursor->position();
  const absl::string_view word = ReadNumberWord(cursor);
  absl::string_view magnitude = word;
  const bool negative = absl::ConsumePrefix(&magnitude, "-");
  if (magnitude == "nan") return ReadNan(format, negative, cursor);
  const double sign = negative ? -1 : 1;
  uint64_t bits = 0;
  bool is_number = false;
  if (magnitude == "inf") {
    bits = format.Encode(sign * std::numeric_limits<double>::infinity());
    is_number = format.IsInfinite(bits);
  } else if (format.type == PrimitiveType::kF32) {
    float value = 0;
    is_number = ReadWholeWord(word, &value) && std::isfinite(value);
    bits = format.Encode(value);
  } else {
    double value = 0;
    is_number = ReadWholeWord(word, &value) && std::isfinite(value);
    bits = format.Encode(value);
    // Encode() turns numbers that are too large into the greatest one if the format has no infinity
    // and no NaN.
    const bool fits =
        format.specials != Specials::kNone || std::fabs(value) <= format.Decode(format.Greatest());
    is_number = is_number && fits && !format.IsNan(bits) && !format.IsInfinite(bits);
  }
  if (is_number) return bits;
  return cursor->InvalidAt(
      begin, absl::StrCat("expected a number that fits ", PrimitiveTypeName(format.type)));
}

}  // namespace

std::string NumberText(PrimitiveType type, uint64_t bits) {
  if (const FloatFormat* format = FindFloatFormat(type); format != nullptr) {
    return FloatText(*format, bits);
  }
  if (IsSigned(type)) return absl::StrCat(SignExtended(bits, BitWidth(type)));
  return absl::StrCat(bits);
}

std::string MlirNumberText(PrimitiveType type, uint64_t bits) {
  const FloatFormat* format = FindFloatFormat(type);
  if (format == nullptr) {
    if (type == PrimitiveType::kPred) return bits != 0 ? "true" : "false";
    return NumberText(type, bits);
  }
  if (format->IsNan(bits) || format->IsInfinite(bits)) {
    return absl::StrFormat("0x%0*X", BitWidth(type) / 4, bits);
  }
  // MLIR requires a point in floats.
  std::string text = FiniteText(*format, bits);
  if (absl::StrContains(text, '.')) return text;
  const size_t exponent = text.find('e');
  text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  return text;
}

absl::StatusOr<uint64_t> ReadNumber(PrimitiveType type, TextCursor* cursor) {
  if (const FloatFormat* format = FindFloatFormat(type); format != nullptr) {
    return ReadFloat(*format, cursor);
  }
  if (type == PrimitiveType::kPred) return ReadPred(cursor);
  return ReadWhole(type, cursor);
}

// ---- Elements of xla::Literal -------------------------------------------------------------------

namespace {

template <typename T>
T Load(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

// strtod() would use the decimal point of the process's locale.
bool ReadsAs(const std::string& text, float value) {
  float read;
  return absl::SimpleAtof(text, &read) && read == value;
}
bool ReadsAs(const std::string& text, double value) {
  double read;
  return absl::SimpleAtod(text, &read) && read == value;
}

// Uses digits10 digits if they give the value back, else max_digits10.
template <typename Float>
std::string ShortFloatText(Float value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  std::string text = absl::StrFormat("%.*g", std::numeric_limits<Float>::digits10, value);
  if (ReadsAs(text, value)) return text;
  return absl::StrFormat("%.*g", std::numeric_limits<Float>::max_digits10, value);
}

// Returns null unless the type is a float, complex types excluded.
const FloatFormat* FormatOf(xla::PrimitiveType type) {
  return FindFloatFormat(static_cast<PrimitiveType>(type));
}

std::string SmallFloatText(const FloatFormat& format, double value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  return absl::StrFormat("%.*g", format.Digits(), value);
}

// Returns the integer of fewer than 8 bits in the lowest bits of `byte`.
int64_t SubByteInteger(xla::PrimitiveType type, uint8_t byte) {
  const int64_t values = int64_t{1} << xla::primitive_util::BitWidth(type);
  const int64_t value = byte & (values - 1);
  const bool negative = xla::primitive_util::IsSignedIntegralType(type) && 2 * value >= values;
  return negative ? value - values : value;
}

}  // namespace

std::string ElementText(xla::PrimitiveType type, const void* element) {
  switch (type) {
    case xla::PRED:
      return Load<uint8_t>(element) != 0 ? "true" : "false";
    case xla::F32:
      return ShortFloatText(Load<float>(element));
    case xla::F64:
      return ShortFloatText(Load<double>(element));
    case xla::C64: {
      const auto value = Load<xla::complex64>(element);
      return absl::StrCat("(", ShortFloatText(value.real()), ", ", ShortFloatText(value.imag()),
                          ")");
    }
    case xla::C128: {
      const auto value = Load<xla::complex128>(element);
      return absl::StrCat("(", ShortFloatText(value.real()), ", ", ShortFloatText(value.imag()),
                          ")");
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
