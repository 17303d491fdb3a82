#include "callbridge/client/attribute_elements.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "callbridge/client/element_types.h"

namespace callbridge::client {
namespace {

template <typename T>
bool Append(const T& value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return true;
}

bool IsHex(absl::string_view word) {
  return absl::StartsWith(word, "0x") || absl::StartsWith(word, "0X");
}

template <typename T>
bool AppendInteger(absl::string_view word, std::string& bytes) {
  using Limits = std::numeric_limits<T>;
  if (IsHex(word)) {
    uint64_t bits;
    if (!absl::SimpleHexAtoi(word, &bits)) return false;
    if (bits > std::numeric_limits<std::make_unsigned_t<T>>::max()) return false;
    return Append(static_cast<T>(bits), bytes);
  }
  if constexpr (std::is_signed_v<T>) {
    int64_t value;
    if (!absl::SimpleAtoi(word, &value)) return false;
    if (value < Limits::min() || value > Limits::max()) return false;
    return Append(static_cast<T>(value), bytes);
  } else {
    uint64_t value;
    if (!absl::SimpleAtoi(word, &value) || value > Limits::max()) return false;
    return Append(static_cast<T>(value), bytes);
  }
}

template <typename T>
bool AppendFloat(absl::string_view word, std::string& bytes) {
  if (IsHex(word)) {
    using Bits = std::conditional_t<sizeof(T) == 2, uint16_t,
                                    std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
    uint64_t bits;
    if (!absl::SimpleHexAtoi(word, &bits) || bits > std::numeric_limits<Bits>::max()) return false;
    return Append(static_cast<Bits>(bits), bytes);
  }
  double value;
  if (!absl::SimpleAtod(word, &value)) return false;
  if constexpr (std::is_same_v<T, float>) {
    // Not through double, which would round twice.
    float narrow;
    return absl::SimpleAtof(word, &narrow) && Append(narrow, bytes);
  }
  if constexpr (kIsSmallFloat<T>) return Append(T(static_cast<float>(value)), bytes);
  return Append(value, bytes);
}

template <typename T>
bool AppendValue(absl::string_view word, std::string& bytes) {
  if constexpr (std::is_same_v<T, bool>) {
    if (word == "true" || word == "1" || word == "-1") return Append(true, bytes);
    return (word == "false" || word == "0") && Append(false, bytes);
  } else if constexpr (std::is_integral_v<T>) {
    return AppendInteger<T>(word, bytes);
  } else if constexpr (kIsComplex<T>) {
    return false;
  } else {
    return AppendFloat<T>(word, bytes);
  }
}

}  // namespace

std::optional<PrimitiveType> ParseMlirType(absl::string_view name) {
  static constexpr struct {
    absl::string_view name;
    PrimitiveType type;
  } kTypes[] = {
      {"i1", PrimitiveType::kPred},  {"i8", PrimitiveType::kS8},    {"i16", PrimitiveType::kS16},
      {"i32", PrimitiveType::kS32},  {"i64", PrimitiveType::kS64},  {"si8", PrimitiveType::kS8},
      {"si16", PrimitiveType::kS16}, {"si32", PrimitiveType::kS32}, {"si64", PrimitiveType::kS64},
      {"ui8", PrimitiveType::kU8},   {"ui16", PrimitiveType::kU16}, {"ui32", PrimitiveType::kU32},
      {"ui64", PrimitiveType::kU64}, {"f16", PrimitiveType::kF16},  {"bf16", PrimitiveType::kBf16},
      {"f32", PrimitiveType::kF32},  {"f64", PrimitiveType::kF64},
  };
  for (const auto& known : kTypes) {
    if (known.name == name) return known.type;
  }
  return std::nullopt;
}

bool AppendElement(absl::string_view word, PrimitiveType type, std::string& bytes) {
  return VisitElementType(
      type,
      [&](auto element) { return AppendValue<typename decltype(element)::type>(word, bytes); },
      [] { return false; });
}

}  // namespace callbridge::client
