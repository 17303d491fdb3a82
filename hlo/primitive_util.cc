#include "callbridge/hlo/primitive_util.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/primitive_type.h"

namespace xla {
inline namespace callbridge_v1 {
namespace primitive_util {
namespace {

// Returns the names by number. A number that is not a type has the name of the invalid type.
const std::vector<std::string>& Names() {
  static const auto* const names = [] {
    auto* made = new std::vector<std::string>;
    for (int number = 0; number < PrimitiveType_ARRAYSIZE; ++number) {
      const int valid = PrimitiveType_IsValid(number) ? number : PRIMITIVE_TYPE_INVALID;
      made->push_back(valid == OPAQUE_TYPE ? "opaque"
                                           : absl::AsciiStrToLower(PrimitiveType_Name(
                                                 static_cast<PrimitiveType>(valid))));
    }
    return made;
  }();
  return *names;
}

}  // namespace

bool IsArrayType(PrimitiveType type) { return BitWidth(type) != 0; }

bool IsFloatingPointType(PrimitiveType type) {
  return IsArrayType(type) && !IsIntegralType(type) && !IsComplexType(type) && type != PRED;
}

bool IsComplexType(PrimitiveType type) { return type == C64 || type == C128; }

bool IsSignedIntegralType(PrimitiveType type) {
  switch (type) {
    case S1:
    case S2:
    case S4:
    case S8:
    case S16:
    case S32:
    case S64:
      return true;
    default:
      return false;
  }
}

bool IsUnsignedIntegralType(PrimitiveType type) {
  switch (type) {
    case U1:
    case U2:
    case U4:
    case U8:
    case U16:
    case U32:
    case U64:
      return true;
    default:
      return false;
  }
}

bool IsIntegralType(PrimitiveType type) {
  return IsSignedIntegralType(type) || IsUnsignedIntegralType(type);
}

int BitWidth(PrimitiveType type) {
  if (!::callbridge::IsPrimitiveType(type)) return 0;
  return ::callbridge::BitWidth(static_cast<::callbridge::PrimitiveType>(type));
}

int ByteWidth(PrimitiveType type) { return (BitWidth(type) + 7) / 8; }

PrimitiveType ComplexComponentType(PrimitiveType complex_type) {
  if (complex_type == C64) return F32;
  return complex_type == C128 ? F64 : PRIMITIVE_TYPE_INVALID;
}

const std::string& LowercasePrimitiveTypeName(PrimitiveType type) {
  const std::vector<std::string>& names = Names();
  const auto number = static_cast<size_t>(type);
  return number < names.size() ? names[number] : names[PRIMITIVE_TYPE_INVALID];
}

StatusOr<PrimitiveType> StringToPrimitiveType(absl::string_view name) {
  const std::vector<std::string>& names = Names();
  for (size_t number = 1; number < names.size(); ++number) {
    if (names[number] == name && PrimitiveType_IsValid(static_cast<int>(number))) {
      return static_cast<PrimitiveType>(number);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected the name of an element type, such as f32; got \"", name, "\""));
}

bool IsPrimitiveTypeName(absl::string_view name) { return StringToPrimitiveType(name).ok(); }

}  // namespace primitive_util
}  // namespace callbridge_v1
}  // namespace xla
