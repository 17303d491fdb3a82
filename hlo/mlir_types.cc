#include "callbridge/hlo/mlir_types.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace callbridge::hlo {
namespace {

constexpr size_t kLongestWithoutAlias = 100;

// "" where there is none.
std::string ElementType(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kPred:
      return "i1";
    case PrimitiveType::kS2:
    case PrimitiveType::kS4:
    case PrimitiveType::kS8:
    case PrimitiveType::kS16:
    case PrimitiveType::kS32:
    case PrimitiveType::kS64:
      return absl::StrCat("i", BitWidth(type));
    case PrimitiveType::kU2:
    case PrimitiveType::kU4:
    case PrimitiveType::kU8:
    case PrimitiveType::kU16:
    case PrimitiveType::kU32:
    case PrimitiveType::kU64:
      return absl::StrCat("ui", BitWidth(type));
    case PrimitiveType::kF16:
    case PrimitiveType::kF32:
    case PrimitiveType::kF64:
    case PrimitiveType::kBf16:
      return std::string(PrimitiveTypeName(type));
    case PrimitiveType::kC64:
      return "complex<f32>";
    case PrimitiveType::kC128:
      return "complex<f64>";
    case PrimitiveType::kF8E5M2:
    case PrimitiveType::kF8E4M3FN:
    case PrimitiveType::kF8E4M3B11FNUZ:
    case PrimitiveType::kF8E5M2FNUZ:
    case PrimitiveType::kF8E4M3FNUZ:
    case PrimitiveType::kF8E4M3:
    case PrimitiveType::kF8E3M4:
    case PrimitiveType::kF4E2M1FN:
    case PrimitiveType::kF8E8M0FNU: {
      // f8E5M2FNUZ: all but the first letter in capitals.
      std::string name = absl::AsciiStrToUpper(PrimitiveTypeName(type));
      name.front() = 'f';
      return name;
    }
    default:
      return "";
  }
}

}  // namespace

absl::StatusOr<std::string> MlirTypes::Text(const Shape& shape) {
  if (shape.IsToken()) return std::string("!stablehlo.token");
  if (shape.IsArray()) {
    const std::string element = ElementType(shape.element_type());
    if (element.empty()) {
      return absl::UnimplementedError(absl::StrCat("StableHLO has no elements of type ",
                                                   PrimitiveTypeName(shape.element_type())));
    }
    std::string text = "tensor<";
    for (int64_t dimension : shape.dimensions()) absl::StrAppend(&text, dimension, "x");
    absl::StrAppend(&text, element, ">");
    return text.size() > kLongestWithoutAlias ? Alias(text) : text;
  }
  std::string text = "tuple<";
  for (const Shape& element : shape.tuple_elements()) {
    absl::StatusOr<std::string> element_text = Text(element);
    if (!element_text.ok()) return element_text;
    absl::StrAppend(&text, &element == &shape.tuple_elements().front() ? "" : ", ", *element_text);
  }
  absl::StrAppend(&text, ">");
  return Alias(text);
}

std::string MlirTypes::Alias(const std::string& type) {
  const auto [number, is_new] = numbers_.emplace(type, aliased_.size());
  if (is_new) aliased_.push_back(type);
  return absl::StrCat("!type", number->second);
}

std::string MlirTypes::Aliases() const {
  std::string text;
  for (size_t i = 0; i < aliased_.size(); ++i) {
    absl::StrAppend(&text, "!type", i, " = ", aliased_[i], "\n");
  }
  return text;
}

std::string MlirString(absl::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    if (absl::ascii_isprint(c) && c != '"' && c != '\\') {
      text.push_back(c);
    } else {
      absl::StrAppendFormat(&text, "\\%02X", static_cast<uint8_t>(c));
    }
  }
  text.push_back('"');
  return text;
}

std::string MlirSymbol(absl::string_view name) {
  const auto is_plain = [](char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '$' || c == '.';
  };
  const bool plain = !name.empty() && !absl::ascii_isdigit(name.front()) && name.front() != '.' &&
                     name.front() != '$' && std::all_of(name.begin(), name.end(), is_plain);
  return plain ? absl::StrCat("@", name) : absl::StrCat("@", MlirString(name));
}

}  // namespace callbridge::hlo
