#include "callbridge/tools/attribute.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

// Writes the number to `bytes`. Returns false if it is not of that type.
template <typename T>
bool ParseNumber(absl::string_view text, char* bytes) {
  T number;
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
  const size_t colon = value.rfind(':');
  if (colon == absl::string_view::npos) return false;
  for (const NumberType& type : kNumberTypes) {
    if (type.name != value.substr(colon + 1)) continue;
    char bytes[sizeof(uint64_t)];
    if (!type.parse(value.substr(0, colon), bytes)) return false;
    attributes->SetScalar(name, type.type, bytes);
    return true;
  }
  return false;
}

}  // namespace

absl::Status ParseAttribute(absl::string_view text, Attributes* attributes) {
  const size_t equals = text.find('=');
  const bool has_name = equals != absl::string_view::npos && equals > 0;
  if (has_name && ParseValue(text.substr(0, equals), text.substr(equals + 1), attributes)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "expected NAME=VALUE, a value being an integer of a type that holds it (3:i32; "
      "i8 to i64, ui8 to ui64), a float (1.5:f32, 1.5:f64), true, false or a string in "
      "double quotes (name=\"text\"); found ",
      text));
}

}  // namespace callbridge
