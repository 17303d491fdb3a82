// The types and attributes of StableHLO text.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "callbridge/hlo/hlo_text_attributes.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/stablehlo_text.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {
namespace {

constexpr size_t kLongestWithoutAlias = 100;

// Returns "" if StableHLO has no such type.
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

// ---- Attributes ---------------------------------------------------------------------------------

namespace {

using xla::HloInstructionProto;
using xla::ShapeProto;

bool IsTuple(const ShapeProto& shape) { return shape.element_type() == xla::TUPLE; }

// Recursive, as deep as shapes may be.
bool IsRowMajor(const ShapeProto& shape) {
  const auto& elements = shape.tuple_shapes();
  if (!std::all_of(elements.begin(), elements.end(), IsRowMajor)) return false;
  const auto& order = shape.layout().minor_to_major();
  return std::is_sorted(order.rbegin(), order.rend());
}

std::string LayoutText(const ShapeProto& shape) {
  const auto& order = shape.layout().minor_to_major();
  const std::string numbers =
      order.empty() ? "" : absl::StrCat("[", absl::StrJoin(order, ", "), "]");
  return absl::StrCat("dense<", numbers, "> : tensor<", order.size(), "xindex>");
}

// "[dense<[1, 0]> : tensor<2xindex>, ...]"
template <typename Shapes>
std::string LayoutsText(const Shapes& shapes) {
  return absl::StrCat("[",
                      absl::StrJoin(shapes, ", ",
                                    [](std::string* out, const ShapeProto& shape) {
                                      absl::StrAppend(out, LayoutText(shape));
                                    }),
                      "]");
}

// StableHLO expresses layouts of arrays, and of one tuple of arrays as the result. Returns "" for
// other shapes if they are row-major.
absl::StatusOr<std::string> CallLayouts(const HloInstructionProto& call) {
  if (!call.constrain_layout()) return std::string();
  const auto& operands = call.operand_shapes_with_layout();
  const auto& elements = call.shape().tuple_shapes();
  const bool sayable = std::none_of(operands.begin(), operands.end(), IsTuple) &&
                       std::none_of(elements.begin(), elements.end(), IsTuple);
  if (!sayable) {
    if (std::all_of(operands.begin(), operands.end(), IsRowMajor) && IsRowMajor(call.shape())) {
      return std::string();
    }
    return absl::UnimplementedError(
        absl::StrCat("custom call ", absl::CHexEscape(call.name()),
                     " has layouts inside of tuples that are not row-major, which StableHLO cannot "
                     "express; write the module as HLO text"));
  }
  const std::string results = IsTuple(call.shape())
                                  ? LayoutsText(elements)
                                  : absl::StrCat("[", LayoutText(call.shape()), "]");
  return absl::StrCat("operand_layouts = ", LayoutsText(operands), ", result_layouts = ", results);
}

// The config of a typed call is written unquoted, so it must be one complete dictionary.
absl::StatusOr<std::string> BackendConfig(const HloInstructionProto& call) {
  const std::string& config = call.backend_config();
  if (call.custom_call_api_version() != xla::API_VERSION_TYPED_FFI) return MlirString(config);
  if (config.empty()) return std::string("{}");
  if (DictionarySize(config) == config.size()) return config;
  return absl::InvalidArgumentError(
      absl::StrCat("custom call ", absl::CHexEscape(call.name()),
                   " of api version 4: expected a backend config that is a dictionary in braces"));
}

std::string Aliases(const HloInstructionProto& call) {
  return absl::StrCat(
      "output_operand_aliases = [",
      absl::StrJoin(call.output_operand_aliasing(), ", ",
                    [](std::string* out, const xla::OutputOperandAliasing& alias) {
                      absl::StrAppend(out,
                                      "#stablehlo.output_operand_alias<output_tuple_indices = [",
                                      absl::StrJoin(alias.output_shape_index(), ", "),
                                      "], operand_index = ", alias.operand_index(),
                                      ", operand_tuple_indices = [",
                                      absl::StrJoin(alias.operand_shape_index(), ", "), "]>");
                    }),
      "]");
}

std::string FrontendAttributes(const xla::FrontendAttributes& attributes) {
  std::vector<std::pair<std::string, std::string>> sorted(attributes.map().begin(),
                                                          attributes.map().end());
  std::sort(sorted.begin(), sorted.end());
  return absl::StrCat("mhlo.frontend_attributes = {",
                      absl::StrJoin(sorted, ", ",
                                    [](std::string* out, const auto& attribute) {
                                      absl::StrAppend(out, MlirString(attribute.first), " = ",
                                                      MlirString(attribute.second));
                                    }),
                      "}");
}

}  // namespace

absl::StatusOr<std::string> StableHloCustomCallAttributes(
    const HloInstructionProto& call, const absl::flat_hash_map<int64_t, std::string>& functions) {
  std::vector<std::string> attributes;
  // Omits version 1, which is StableHLO's default. A call without a version has version 1.
  if (call.custom_call_api_version() > xla::API_VERSION_ORIGINAL) {
    attributes.push_back(
        absl::StrCat("api_version = ", static_cast<int>(call.custom_call_api_version()), " : i32"));
  }
  absl::StatusOr<std::string> config = BackendConfig(call);
  if (!config.ok()) return config;
  attributes.push_back(absl::StrCat("backend_config = ", *config));
  if (call.called_computation_ids_size() != 0) {
    attributes.push_back(absl::StrCat("called_computations = [",
                                      absl::StrJoin(call.called_computation_ids(), ", ",
                                                    [&](std::string* out, int64_t id) {
                                                      absl::StrAppend(out, functions.at(id));
                                                    }),
                                      "]"));
  }
  if (call.custom_call_has_side_effect()) attributes.push_back("has_side_effect = true");
  if (!call.frontend_attributes().map().empty()) {
    attributes.push_back(FrontendAttributes(call.frontend_attributes()));
  }
  if (call.has_sharding()) {
    absl::StatusOr<std::string> sharding = ShardingText(call.sharding());
    if (!sharding.ok()) return sharding;
    attributes.push_back(absl::StrCat("mhlo.sharding = ", MlirString(*sharding)));
  }
  absl::StatusOr<std::string> layouts = CallLayouts(call);
  if (!layouts.ok()) return layouts;
  if (!layouts->empty()) attributes.push_back(*layouts);
  if (call.output_operand_aliasing_size() != 0) attributes.push_back(Aliases(call));
  return absl::StrJoin(attributes, ", ");
}

std::string StableHloInputOutputAlias(const xla::HloInputOutputAliasProto& aliases,
                                      const std::vector<const Shape*>& parameters,
                                      const Shape& result) {
  // The numbers of leaves, among the results and among the arguments of @main.
  absl::flat_hash_map<const Shape*, int64_t> number_of;
  const std::vector<const Shape*> results = result.Leaves();
  for (size_t i = 0; i < results.size(); ++i) number_of[results[i]] = static_cast<int64_t>(i);
  int64_t argument = 0;
  for (const Shape* parameter : parameters) {
    for (const Shape* leaf : parameter->Leaves()) number_of[leaf] = argument++;
  }
  const auto leaf_number = [&](const Shape& shape, const auto& index) {
    return number_of.at(LeafAt(shape, {index.data(), static_cast<size_t>(index.size())}));
  };
  const auto append = [&](std::string* out, const auto& alias) {
    const int64_t output = leaf_number(result, alias.output_shape_index());
    absl::StrAppend(
        out, "{alias = {kind = \"", alias.kind() == xla::MUST_ALIAS ? "must" : "may",
        "_alias\", parameter_index = array<i64>, parameter_number = ",
        leaf_number(*parameters[alias.parameter_number()], alias.parameter_shape_index()),
        " : i64}, output_index = array<i64", results.size() == 1 ? "" : absl::StrCat(": ", output),
        ">}");
  };
  return absl::StrCat("mhlo.input_output_alias = [", absl::StrJoin(aliases.entries(), ", ", append),
                      "]");
}

}  // namespace callbridge::hlo
