#include "callbridge/hlo/stablehlo_custom_call.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/hlo/mlir_types.h"
#include "callbridge/hlo/sharding_text.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {
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

// "" where row-major is all that is said, and StableHLO, which knows only layouts of arrays and of
// one tuple of arrays as the result, cannot say it.
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
                     "say; write the module as HLO text"));
  }
  const std::string results = IsTuple(call.shape())
                                  ? LayoutsText(elements)
                                  : absl::StrCat("[", LayoutText(call.shape()), "]");
  return absl::StrCat("operand_layouts = ", LayoutsText(operands), ", result_layouts = ", results);
}

// Of a typed call it is a dictionary, which must not be able to end early.
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
  // A call without a version is for one of the first, as it is in StableHLO.
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

}  // namespace callbridge::hlo
