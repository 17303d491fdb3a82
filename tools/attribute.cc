#include "callbridge/tools/attribute.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace callbridge {
namespace {

// Writes the number to `bytes`. Returns false if it is not of that type. A hexadecimal float is its
// bits, as in MLIR, which writes NaNs so.
template <typename T>
bool ParseNumber(absl::string_view text, char* bytes) {
  T number;
  if constexpr (std::is_floating_point_v<T>) {
    if (absl::ConsumePrefix(&text, "0x")) {
      std::conditional_t<sizeof(T) == sizeof(uint32_t), uint32_t, uint64_t> bits;
      if (text.size() != 2 * sizeof(T) || !absl::SimpleHexAtoi(text, &bits)) return false;
      std::memcpy(bytes, &bits, sizeof(bits));
      return true;
    }
    if (absl::StrContains(text, 'x') || absl::StrContains(text, 'X')) return false;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (!absl::SimpleAtof(text, &number)) return false;
  } else if constexpr (std::is_same_v<T, double>) {
    if (!absl::SimpleAtod(text, &number)) return false;
  } else {
    std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t> wide;
    if (!absl::SimpleAtoi(text, &wide)) return false;
    if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max()) return false;
    number = static_cast<T>(wide);
  }
  std::memcpy(bytes, &number, sizeof(number));
  return true;
}

struct NumberType {
  absl::string_view name;
  PrimitiveType type;
  bool (*parse)(absl::string_view text, char* bytes);
};
constexpr NumberType kNumberTypes[] = {
    {"i8", PrimitiveType::kS8, &ParseNumber<int8_t>},
    {"i16", PrimitiveType::kS16, &ParseNumber<int16_t>},
    {"i32", PrimitiveType::kS32, &ParseNumber<int32_t>},
    {"i64", PrimitiveType::kS64, &ParseNumber<int64_t>},
    {"ui8", PrimitiveType::kU8, &ParseNumber<uint8_t>},
    {"ui16", PrimitiveType::kU16, &ParseNumber<uint16_t>},
    {"ui32", PrimitiveType::kU32, &ParseNumber<uint32_t>},
    {"ui64", PrimitiveType::kU64, &ParseNumber<uint64_t>},
    {"f32", PrimitiveType::kF32, &ParseNumber<float>},
    {"f64", PrimitiveType::kF64, &ParseNumber<double>},
};

const NumberType* FindNumberType(absl::string_view name) {
  for (const NumberType& type : kNumberTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

// Reads "array<i64: 1, 2>", or "array<i64>" for none.
bool ParseArray(absl::string_view name, absl::string_view value, Attributes* attributes) {
  if (!absl::ConsumePrefix(&value, "array<") || !absl::ConsumeSuffix(&value, ">")) return false;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(value, absl::MaxSplits(':', 1));
  const NumberType* type = FindNumberType(absl::StripAsciiWhitespace(parts.first));
  if (type == nullptr) return false;
  const bool has_elements = parts.first.size() < value.size();
  const size_t width = AttributeElementBytes(type->type);
  std::string bytes;
  size_t count = 0;
  if (has_elements) {
    for (absl::string_view element : absl::StrSplit(parts.second, ',')) {
      char number[sizeof(uint64_t)];
      if (!type->parse(absl::StripAsciiWhitespace(element), number)) return false;
      bytes.append(number, width);
      ++count;
    }
  }
  attributes->SetArray(name, type->type, bytes.data(), count);
  return true;
}

// Reads "[array<i64: 1, 2>, array<i64>]" as a dictionary by the names 0, 1 and so on.
bool ParseListOfArrays(absl::string_view name, absl::string_view value, Attributes* attributes) {
  if (!absl::ConsumePrefix(&value, "[") || !absl::ConsumeSuffix(&value, "]")) return false;
  Attributes list;
  int count = 0;
  for (value = absl::StripAsciiWhitespace(value); !value.empty(); ++count) {
    const size_t end = value.find('>');
    if (end == absl::string_view::npos) return false;
    if (!ParseArray(absl::StrCat(count), value.substr(0, end + 1), &list)) return false;
    value = absl::StripLeadingAsciiWhitespace(value.substr(end + 1));
    if (value.empty()) continue;
    if (!absl::ConsumePrefix(&value, ",") || absl::StripAsciiWhitespace(value).empty())
      return false;
    value = absl::StripLeadingAsciiWhitespace(value);
  }
  attributes->SetDictionary(name, std::move(list));
  return true;
}

bool ParseValue(absl::string_view name, absl::string_view value, Attributes* attributes) {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') {
    attributes->SetString(name, value.substr(1, value.size() - 2));
    return true;
  }
  if (value == "true" || value == "false") {
    const bool is_true = value == "true";
    attributes->SetScalar(name, PrimitiveType::kPred, &is_true);
    return true;
  }
  if (absl::StartsWith(value, "array<")) return ParseArray(name, value, attributes);
  if (absl::StartsWith(value, "[")) return ParseListOfArrays(name, value, attributes);
  const size_t colon = value.rfind(':');
  if (colon == absl::string_view::npos) return false;
  const NumberType* type = FindNumberType(absl::StripAsciiWhitespace(value.substr(colon + 1)));
  char bytes[sizeof(uint64_t)];
  const absl::string_view number = absl::StripAsciiWhitespace(value.substr(0, colon));
  if (type == nullptr || !type->parse(number, bytes)) return false;
  attributes->SetScalar(name, type->type, bytes);
  return true;
}

}  // namespace

absl::Status ParseAttribute(absl::string_view text, Attributes* attributes) {
  const size_t equals = text.find('=');
  const bool has_name = equals != absl::string_view::npos && equals > 0;
  if (has_name && ParseValue(text.substr(0, equals), text.substr(equals + 1), attributes)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected NAME=VALUE, a value being an integer of a type that holds it (3:i32; "
                   "i8 to i64, ui8 to ui64), a float (1.5:f32, 1.5:f64), true, false, a string in "
                   "double quotes (name=\"text\"), an array (array<i64: 1, 2>) or a list of arrays "
                   "([array<i64: 1, 2>, array<i64: 3>]); found ",
                   text));
}

}  // namespace callbridge
