#include "callbridge/tools/layout/c_type.h"

namespace callbridge {
namespace {

constexpr absl::string_view kStdint = "<stdint.h>";

constexpr CType Plain(absl::string_view name) { return {name, false, "", ""}; }
constexpr CType Complex(absl::string_view part) { return {part, true, "", "{real, imaginary}"}; }
constexpr CType Integer(absl::string_view name) { return {name, false, kStdint, ""}; }
constexpr CType BitsIn(absl::string_view name) { return {name, false, kStdint, "as bits"}; }
constexpr CType Packed(absl::string_view remark) { return {"uint8_t", false, kStdint, remark}; }

constexpr CType kBool = {"bool", false, "<stdbool.h>", ""};
constexpr CType kS8 = Integer("int8_t");
constexpr CType kS16 = Integer("int16_t");
constexpr CType kS32 = Integer("int32_t");
constexpr CType kS64 = Integer("int64_t");
constexpr CType kU8 = Integer("uint8_t");
constexpr CType kU16 = Integer("uint16_t");
constexpr CType kU32 = Integer("uint32_t");
constexpr CType kU64 = Integer("uint64_t");
constexpr CType kF32 = Plain("float");
constexpr CType kF64 = Plain("double");
constexpr CType kC64 = Complex("float");
constexpr CType kC128 = Complex("double");
constexpr CType kBits8 = BitsIn("uint8_t");
constexpr CType kBits16 = BitsIn("uint16_t");
constexpr CType kEighths = Packed("8 to a byte, lowest bit first");
constexpr CType kQuarters = Packed("4 to a byte, lowest bits first");
constexpr CType kHalves = Packed("2 to a byte, lowest bits first");

// For types that C lacks: small floats, and packed elements of less than a byte.
const CType& CTypeOfBits(int bits) {
  switch (bits) {
    case 1:
      return kEighths;
    case 2:
      return kQuarters;
    case 4:
      return kHalves;
    case 8:
      return kBits8;
    default:
      return kBits16;
  }
}

}  // namespace

const CType& CTypeOf(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kPred:
      return kBool;
    case PrimitiveType::kS8:
      return kS8;
    case PrimitiveType::kS16:
      return kS16;
    case PrimitiveType::kS32:
      return kS32;
    case PrimitiveType::kS64:
      return kS64;
    case PrimitiveType::kU8:
      return kU8;
    case PrimitiveType::kU16:
      return kU16;
    case PrimitiveType::kU32:
      return kU32;
    case PrimitiveType::kU64:
      return kU64;
    case PrimitiveType::kF32:
      return kF32;
    case PrimitiveType::kF64:
      return kF64;
    case PrimitiveType::kC64:
      return kC64;
    case PrimitiveType::kC128:
      return kC128;
    default:
      return CTypeOfBits(BitWidth(type));
  }
}

}  // namespace callbridge
