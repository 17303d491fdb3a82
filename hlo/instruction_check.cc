#include "callbridge/hlo/instruction_check.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/hlo/literal_proto.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/opcode.h"
#include "callbridge/hlo/shape_inference.h"
#include "callbridge/hlo/shape_proto.h"

namespace callbridge::hlo {
namespace {

using Instructions = absl::Span<const ShapedInstruction* const>;

absl::Span<const int64_t> SpanOf(const google::protobuf::RepeatedField<int64_t>& field) {
  return {field.data(), static_cast<size_t>(field.size())};
}

absl::Status OtherShape(const Shape& expected, const Shape& came) {
  return Invalid("expected shape ", ShapeText(expected), ", got ", ShapeText(came));
}

// Returns OK if the instruction has the inferred shape, except for layouts.
absl::Status CheckShape(const ShapedInstruction& instruction, const absl::StatusOr<Shape>& inferred,
                        ShapeIds& ids) {
  if (!inferred.ok()) return inferred.status();
  if (ids.Of(*inferred) == instruction.shape_id) return absl::OkStatus();
  return OtherShape(*inferred, instruction.shape());
}

absl::Status CheckSameShape(const ShapedInstruction& instruction, const ShapedInstruction& like) {
  if (instruction.shape_id == like.shape_id) return absl::OkStatus();
  return OtherShape(like.shape(), instruction.shape());
}

// Infers a shape only to report an error: equal types and element counts suffice.
absl::Status CheckReshape(const ShapedInstruction& instruction, const ShapedInstruction& operand,
                          ShapeIds& ids) {
  const Shape& shape = instruction.shape();
  if (shape.IsArray() && shape.element_type() == operand.shape().element_type() &&
      instruction.element_count == operand.element_count) {
    return absl::OkStatus();
  }
  return CheckShape(instruction, InferReshape(operand.shape(), shape.dimensions()), ids);
}

absl::Status CheckTokens(Instructions operands) {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i]->shape().IsToken()) continue;
    return Invalid("expected tokens as operands, got ", ShapeText(operands[i]->shape()),
                   " as operand ", i);
  }
  return absl::OkStatus();
}

absl::Status CheckTuple(const ShapedInstruction& instruction, Instructions operands,
                        ShapeIds& ids) {
  const Shape& shape = instruction.shape();
  if (!shape.IsTuple() || shape.tuple_elements().size() != operands.size()) {
    return Invalid("expected a tuple of ", operands.size(),
                   " elements, as there are operands, got ", ShapeText(shape));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (ids.Of(shape.tuple_elements()[i]) == operands[i]->shape_id) continue;
    return Invalid("expected shape ", ShapeText(operands[i]->shape()), " as element ", i,
                   ", as the operand has it, got ", ShapeText(shape));
  }
  return absl::OkStatus();
}

absl::Status CheckCall(const ShapedInstruction& instruction, Instructions operands,
                       absl::Span<const ShapedComputation* const> called) {
  if (called.size() != 1) {
    return Invalid("expected one called computation, got ", called.size());
  }
  const std::vector<const ShapedInstruction*>& parameters = called[0]->parameters;
  if (parameters.size() != operands.size()) {
    return Invalid("expected ", parameters.size(), " operands, as the called computation has ",
                   "parameters, got ", operands.size());
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (parameters[i]->shape_id == operands[i]->shape_id) continue;
    return Invalid("operand ", i, ": expected shape ", ShapeText(parameters[i]->shape()),
                   ", as the called computation's parameter has it, got ",
                   ShapeText(operands[i]->shape()));
  }
  return CheckSameShape(instruction, *called[0]->root);
}

absl::Status CheckConstant(const ShapedInstruction& instruction, ShapeIds& ids) {
  if (!instruction.proto->has_literal()) return absl::OkStatus();  // a dump left it out
  const xla::LiteralProto& literal = instruction.proto->literal();
  xla::ShapeProto dense = literal.shape();
  KeepOrderOnly(&dense);
  const absl::StatusOr<Shape> shape = ShapeFromProto(dense);
  if (!shape.ok()) return shape.status();
  absl::Status status = CheckShape(instruction, *shape, ids);
  return status.ok() ? CheckLiteral(literal, *shape) : status;
}

absl::Status CheckLayouts(const xla::HloInstructionProto& proto, const Shape& result,
                          Instructions operands, ShapeIds& ids) {
  if (!proto.constrain_layout()) return absl::OkStatus();
  if (static_cast<size_t>(proto.operand_shapes_with_layout_size()) != operands.size()) {
    return Invalid("expected ", operands.size(), " operand shapes with layout, as there are ",
                   "operands, got ", proto.operand_shapes_with_layout_size());
  }
  const auto all_have_layouts = [](const Shape& shape) {
    for (const Shape* leaf : shape.Leaves()) {
      if (leaf->IsArray() && !leaf->layout().has_value()) return false;
    }
    return true;
  };
  if (!all_have_layouts(result)) {
    return Invalid("expected layouts in the result of a call that constrains them, got ",
                   ShapeText(result));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    const absl::StatusOr<Shape> shape =
        ShapeFromProto(proto.operand_shapes_with_layout(static_cast<int>(i)));
    if (!shape.ok()) return shape.status();
    if (ids.Of(*shape) != operands[i]->shape_id) {
      return Invalid("operand shape with layout ", i, ": expected ",
                     ShapeText(operands[i]->shape()), ", as the operand has it, got ",
                     ShapeText(*shape));
    }
    if (!all_have_layouts(*shape)) {
      return Invalid("operand shape with layout ", i, ": expected layouts, got ",
                     ShapeText(*shape));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAliases(const xla::HloInstructionProto& proto, const Shape& result,
                          Instructions operands, ShapeIds& ids) {
  absl::flat_hash_set<const Shape*> taken;
  for (const xla::OutputOperandAliasing& alias : proto.output_operand_aliasing()) {
    const absl::Span<const int64_t> output_index = SpanOf(alias.output_shape_index());
    const Shape* output = LeafAt(result, output_index);
    if (output == nullptr) {
      return Invalid("alias of output {", absl::StrJoin(output_index, ","),
                     "}: expected a leaf of ", ShapeText(result));
    }
    if (!taken.insert(output).second) {
      return Invalid("alias of output {", absl::StrJoin(output_index, ","),
                     "}: it is aliased twice");
    }
    const int64_t number = alias.operand_index();
    if (number < 0 || static_cast<size_t>(number) >= operands.size()) {
      return Invalid("alias of output {", absl::StrJoin(output_index, ","), "} to operand ", number,
                     ": there are ", operands.size(), " operands");
    }
    const absl::Span<const int64_t> operand_index = SpanOf(alias.operand_shape_index());
    const Shape* operand = LeafAt(operands[number]->shape(), operand_index);
    if (operand == nullptr) {
      return Invalid("alias to operand ", number, " {", absl::StrJoin(operand_index, ","),
                     "}: expected a leaf of ", ShapeText(operands[number]->shape()));
    }
    // Compares ranks first, since ShapeIds::Of() takes time linear in the shape's size.
    if (output->dimensions().size() != operand->dimensions().size() ||
        ids.Of(*output) != ids.Of(*operand)) {
      return Invalid("alias of output {", absl::StrJoin(output_index, ","),
                     "}: expected the shape of operand ", number, "'s leaf, ", ShapeText(*operand),
                     ", got ", ShapeText(*output));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckCustomCall(const ShapedInstruction& instruction, Instructions operands,
                             ShapeIds& ids) {
  const xla::HloInstructionProto& proto = *instruction.proto;
  if (!xla::CustomCallApiVersion_IsValid(proto.custom_call_api_version())) {
    return Invalid("expected an api version from 0 to 4, got ", proto.custom_call_api_version());
  }
  if (!xla::CustomCallSchedule_IsValid(proto.custom_call_schedule())) {
    return Invalid("expected a schedule from 0 to 2, got ", proto.custom_call_schedule());
  }
  if (proto.has_literal()) {
    const absl::StatusOr<Shape> shape = ShapeFromProto(proto.literal().shape());
    if (!shape.ok()) return shape.status();
    absl::Status status = CheckLiteral(proto.literal(), *shape);
    if (!status.ok()) return status;
  }
  absl::Status status = CheckLayouts(proto, instruction.shape(), operands, ids);
  return status.ok() ? CheckAliases(proto, instruction.shape(), operands, ids) : status;
}

}  // namespace

absl::Status CheckInstruction(const ShapedInstruction& instruction, Instructions operands,
                              absl::Span<const ShapedComputation* const> called, ShapeIds& ids) {
  const xla::HloInstructionProto& proto = *instruction.proto;
  const std::optional<Opcode> opcode = ParseOpcode(proto.opcode());
  if (!opcode.has_value()) return absl::OkStatus();
  const auto is_known = [](const ShapedInstruction* each) { return each->known_shape.has_value(); };
  if (!is_known(&instruction) || !std::all_of(operands.begin(), operands.end(), is_known)) {
    return absl::OkStatus();
  }
  const int count = OperandCount(*opcode);
  if (count >= 0 && operands.size() != static_cast<size_t>(count)) {
    return Invalid("expected ", count, count == 1 ? " operand" : " operands", ", got ",
                   operands.size());
  }
  const auto shape = [&](size_t i) -> const Shape& { return operands[i]->shape(); };
  if (IsElementwiseBinary(*opcode)) {
    return CheckShape(instruction, InferBinary(*opcode, shape(0), shape(1)), ids);
  }
  if (IsElementwiseUnary(*opcode)) {
    return CheckShape(instruction, InferUnary(*opcode, shape(0)), ids);
  }
  switch (*opcode) {
    case Opcode::kAddDependency:
      if (!shape(1).IsToken()) {
        return Invalid("expected a token as operand 1, got ", ShapeText(shape(1)));
      }
      return CheckSameShape(instruction, *operands[0]);
    case Opcode::kAfterAll: {
      absl::Status status = CheckTokens(operands);
      return status.ok() ? CheckShape(instruction, Shape::MakeToken(), ids) : status;
    }
    case Opcode::kBroadcast:
      return CheckBroadcast(shape(0), SpanOf(proto.dimensions()), instruction.shape());
    case Opcode::kCall:
      return CheckCall(instruction, operands, called);
    case Opcode::kConstant:
      return CheckConstant(instruction, ids);
    case Opcode::kConvert:
      return CheckShape(instruction, InferConvert(shape(0), instruction.shape().element_type()),
                        ids);
    case Opcode::kCopy:
      return CheckSameShape(instruction, *operands[0]);
    case Opcode::kCustomCall:
      return CheckCustomCall(instruction, operands, ids);
    case Opcode::kGetTupleElement:
      return CheckShape(instruction, InferGetTupleElement(shape(0), proto.tuple_index()), ids);
    case Opcode::kReshape:
      return CheckReshape(instruction, *operands[0], ids);
    case Opcode::kTuple:
      return CheckTuple(instruction, operands, ids);
    default:
      return absl::OkStatus();
  }
}

int ShapeIds::Of(const Shape& shape) {
  // The key has the type, and the dimensions of an array or the numbers of a tuple's elements.
  // Recursion is at most Shape::kMaxTupleDepth deep.
  std::string key(1, static_cast<char>(shape.element_type()));
  const auto append = [&key](int64_t number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  for (int64_t dimension : shape.dimensions()) append(dimension);
  for (const Shape& element : shape.tuple_elements()) append(Of(element));
  return ids_.try_emplace(std::move(key), static_cast<int>(ids_.size())).first->second;
}

int ShapeIds::Of(const xla::ShapeProto& shape) {
  // The same key, with the dynamic dimensions after it.
  std::string key(1, static_cast<char>(shape.element_type()));
  const auto append = [&key](int64_t number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  for (int i = 0; i < shape.dimensions_size(); ++i) append(shape.dimensions(i));
  for (const xla::ShapeProto& element : shape.tuple_shapes()) append(Of(element));
  std::string dynamic;
  for (int i = 0; i < shape.is_dynamic_dimension_size(); ++i) {
    if (shape.is_dynamic_dimension(i)) absl::StrAppend(&dynamic, " ", i);
  }
  if (!dynamic.empty()) absl::StrAppend(&key, "dynamic", dynamic);
  return ids_.try_emplace(std::move(key), static_cast<int>(ids_.size())).first->second;
}

}  // namespace callbridge::hlo
