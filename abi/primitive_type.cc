#include "callbridge/abi/primitive_type.h"

#include <cstddef>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

struct TypeInfo {
  absl::string_view name;
  PrimitiveType type;
  int bits;  // 0: not an element type
};

// The number of a type is its index in this table.
constexpr TypeInfo kTypes[] = {
    {"invalid", PrimitiveType::kInvalid, 0},
    {"pred", PrimitiveType::kPred, 8},
    {"s8", PrimitiveType::kS8, 8},
    {"s16", PrimitiveType::kS16, 16},
    {"s32", PrimitiveType::kS32, 32},
    {"s64", PrimitiveType::kS64, 64},
    {"u8", PrimitiveType::kU8, 8},
    {"u16", PrimitiveType::kU16, 16},
    {"u32", PrimitiveType::kU32, 32},
    {"u64", PrimitiveType::kU64, 64},
    {"f16", PrimitiveType::kF16, 16},
    {"f32", PrimitiveType::kF32, 32},
    {"f64", PrimitiveType::kF64, 64},
    {"tuple", PrimitiveType::kTuple, 0},
    {"invalid", PrimitiveType::kInvalid, 0},  // 14 is OPAQUE_TYPE, which no custom call is given
    {"c64", PrimitiveType::kC64, 64},
    {"bf16", PrimitiveType::kBf16, 16},
    {"token", PrimitiveType::kToken, 0},
    {"c128", PrimitiveType::kC128, 128},
    {"f8e5m2", PrimitiveType::kF8E5M2, 8},
    {"f8e4m3fn", PrimitiveType::kF8E4M3FN, 8},
    {"s4", PrimitiveType::kS4, 4},
    {"u4", PrimitiveType::kU4, 4},
    {"f8e4m3b11fnuz", PrimitiveType::kF8E4M3B11FNUZ, 8},
    {"f8e5m2fnuz", PrimitiveType::kF8E5M2FNUZ, 8},
    {"f8e4m3fnuz", PrimitiveType::kF8E4M3FNUZ, 8},
    {"s2", PrimitiveType::kS2, 2},
    {"u2", PrimitiveType::kU2, 2},
    {"f8e4m3", PrimitiveType::kF8E4M3, 8},
    {"f8e3m4", PrimitiveType::kF8E3M4, 8},
    {"s1", PrimitiveType::kS1, 1},
    {"u1", PrimitiveType::kU1, 1},
    {"f4e2m1fn", PrimitiveType::kF4E2M1FN, 4},
    {"f8e8m0fnu", PrimitiveType::kF8E8M0FNU, 8},
    {"buffer", PrimitiveType::kBuffer, 0},
    // XLA's FFI has no numbers for these two, so they are known by name alone.
    {"f6e3m2fn", PrimitiveType::kF6E3M2FN, 0},
    {"f6e2m3fn", PrimitiveType::kF6E2M3FN, 0},
};

constexpr bool TypesAreAtTheirNumbers() {
  for (size_t number = 0; number < std::size(kTypes); ++number) {
    const PrimitiveType type = kTypes[number].type;
    if (type != PrimitiveType::kInvalid && static_cast<size_t>(type) != number) return false;
  }
  return true;
}
static_assert(TypesAreAtTheirNumbers());

const TypeInfo& InfoOf(PrimitiveType type) {
  const size_t number = static_cast<size_t>(type);
  return kTypes[number < std::size(kTypes) ? number : 0];
}

}  // namespace

bool IsPrimitiveType(int64_t value) {
  return value >= 0 && value < static_cast<int64_t>(std::size(kTypes)) &&
         kTypes[value].type != PrimitiveType::kInvalid;
}

bool IsArrayElement(PrimitiveType type) { return BitWidth(type) != 0; }

absl::string_view PrimitiveTypeName(PrimitiveType type) { return InfoOf(type).name; }

absl::StatusOr<PrimitiveType> ParsePrimitiveType(absl::string_view name) {
  for (const TypeInfo& info : kTypes) {
    if (info.type != PrimitiveType::kInvalid && info.name == name) return info.type;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown element type \"", absl::CHexEscape(name),
                   "\": expected XLA's lower-case name of a type, such as f32, s64, bf16 or pred"));
}

int BitWidth(PrimitiveType type) { return InfoOf(type).bits; }

}  // namespace callbridge
