#include "callbridge/client/custom_call_lowering.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "callbridge/abi/packed_elements.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/shape_proto.h"

namespace callbridge::client {
namespace {

using xla::HloInstructionProto;

struct Leaf {
  const Shape* shape;
  size_t place;  // index among the leaves of the whole shape
};

Leaf FindLeaf(const Shape& shape, absl::Span<const int64_t> index) {
  Leaf leaf = {&shape, 0};
  for (int64_t element : index) {
    for (int64_t i = 0; i < element; ++i) {
      leaf.place += static_cast<size_t>(leaf.shape->tuple_elements()[i].LeafCount());
    }
    leaf.shape = &leaf.shape->tuple_elements()[element];
  }
  return leaf;
}

// `operands` and `result` are the shapes of the call, with their layouts; `nodes` is the cost of
// visiting all of them.
absl::Status AddAliases(const HloInstructionProto& instruction, const std::vector<Shape>& operands,
                        const Shape& result, size_t nodes, GraphBuilder& builder, Step& step) {
  if (instruction.output_operand_aliasing().empty()) return absl::OkStatus();
  std::vector<size_t> starts;
  size_t start = 0;
  for (const Shape& operand : operands) {
    starts.push_back(start);
    start += static_cast<size_t>(operand.LeafCount());
  }
  std::set<size_t> aliased_operands;
  std::set<size_t> aliased_results;
  for (const xla::OutputOperandAliasing& alias : instruction.output_operand_aliasing()) {
    // Finding a leaf visits all leaves before it.
    absl::Status charged = builder.Charge(nodes);
    if (!charged.ok()) return charged;
    const Leaf from = FindLeaf(operands[alias.operand_index()], alias.operand_shape_index());
    const Leaf to = FindLeaf(result, alias.output_shape_index());
    if (from.shape->IsToken()) continue;
    const std::string names =
        absl::StrCat("output_operand_aliasing of operand ", alias.operand_index(), "{",
                     absl::StrJoin(alias.operand_shape_index(), ","), "} and result {",
                     absl::StrJoin(alias.output_shape_index(), ","), "}: ");
    if (IsRowMajor(*from.shape) != IsRowMajor(*to.shape) ||
        (!IsRowMajor(*from.shape) && *from.shape != *to.shape)) {
      return absl::InvalidArgumentError(absl::StrCat(names, "expected equal layouts, but they are ",
                                                     ShapeText(*from.shape), " and ",
                                                     ShapeText(*to.shape)));
    }
    const size_t operand_place = starts[alias.operand_index()] + from.place;
    if (!aliased_operands.insert(operand_place).second ||
        !aliased_results.insert(to.place).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(names, "expected each leaf to be aliased once, but one is aliased twice"));
    }
    step.aliases.push_back({operand_place, to.place});
  }
  return absl::OkStatus();
}

// Returns the shape as the target gets it: with packed elements of less than a byte.
absl::StatusOr<Shape> Packed(const Shape& shape) {
  for (const Shape* leaf : shape.Leaves()) {
    absl::Status natural = CheckElementSize(*leaf, BitWidth(leaf->element_type()));
    if (!natural.ok()) return natural;
  }
  return PackedShape(shape);
}

// Returns the shapes of the call. Operands are row-major unless the call constrains its layouts.
absl::StatusOr<std::vector<Shape>> OperandShapes(const HloInstructionProto& instruction,
                                                 const std::vector<InstructionResult*>& operands) {
  std::vector<Shape> shapes;
  for (size_t i = 0; i < operands.size(); ++i) {
    absl::StatusOr<Shape> shape = operands[i]->shape;
    if (instruction.constrain_layout()) {
      shape = hlo::ShapeFromProto(instruction.operand_shapes_with_layout(static_cast<int>(i)));
    }
    if (shape.ok()) shape = Packed(*shape);
    if (!shape.ok()) return shape.status();
    shapes.push_back(*std::move(shape));
  }
  return shapes;
}

}  // namespace

absl::Status LowerCustomCall(const HloInstructionProto& instruction, const TargetTable& targets,
                             const std::vector<InstructionResult*>& operands,
                             const Shape& shape_with_layouts, GraphBuilder& builder,
                             InstructionResult& result) {
  const absl::StatusOr<std::vector<Shape>> operand_shapes = OperandShapes(instruction, operands);
  if (!operand_shapes.ok()) return operand_shapes.status();
  const absl::StatusOr<Shape> result_shape =
      Packed(instruction.constrain_layout() ? shape_with_layouts : result.shape);
  if (!result_shape.ok()) return result_shape.status();

  Step step;
  for (size_t i = 0; i < operands.size(); ++i) {
    size_t place = 0;
    for (const Shape* leaf : (*operand_shapes)[i].Leaves()) {
      absl::StatusOr<ValueId> value = builder.ToCall(operands[i]->leaves[place++], *leaf);
      if (!value.ok()) return value.status();
      step.operands.push_back(*value);
    }
  }
  size_t nodes = result.nodes;
  for (const InstructionResult* operand : operands) nodes += operand->nodes;
  absl::Status aliases =
      AddAliases(instruction, *operand_shapes, *result_shape, nodes, builder, step);
  if (!aliases.ok()) return aliases;
  absl::StatusOr<BoundCustomCall> bound =
      BoundCustomCall::Bind(instruction, targets, *operand_shapes, *result_shape);
  if (!bound.ok()) return bound.status();
  step.call = *std::move(bound);
  step.has_effect = instruction.custom_call_has_side_effect();
  if (instruction.custom_call_schedule() == xla::SCHEDULE_EARLIEST) {
    step.hint = Step::Hint::kEarliest;
  } else if (instruction.custom_call_schedule() == xla::SCHEDULE_LATEST) {
    step.hint = Step::Hint::kLatest;
  }
  absl::StatusOr<std::vector<ValueId>> results = builder.CustomCall(std::move(step), *result_shape);
  if (!results.ok()) return results.status();
  result.step = builder.last_step();
  size_t place = 0;
  for (const Shape* leaf : result_shape->Leaves()) {
    absl::StatusOr<ValueId> value = builder.FromCall((*results)[place++], *leaf);
    if (!value.ok()) return value.status();
    result.leaves.push_back(*value);
  }
  return absl::OkStatus();
}

}  // namespace callbridge::client
