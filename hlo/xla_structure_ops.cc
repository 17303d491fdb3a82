#include "callbridge/hlo/xla_structure_ops.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/xla_builder.h"

namespace xla {
inline namespace callbridge_v1 {

using callbridge::hlo::Opcode;
using internal::XlaBuilderFriend;

namespace {

std::string HumanStrings(const std::vector<Shape>& shapes) {
  return absl::StrJoin(shapes, ", ", [](std::string* out, const Shape& shape) {
    absl::StrAppend(out, ShapeUtil::HumanString(shape));
  });
}

}  // namespace

XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name) {
  return Parameter(builder, parameter_number, shape, name, {});
}

XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number, const Shape& shape,
                const std::string& name, const std::vector<bool>& replicated_at_leaf_buffers) {
  XlaBuilderFriend::Live(builder);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_RETURN_IF_ERROR(builder->first_error());
    if (!XlaBuilderFriend::TakeParameterNumber(builder, parameter_number)) {
      return absl::InvalidArgumentError(
          absl::StrCat("parameter ", parameter_number, " already registered"));
    }
    HloInstructionProto proto;
    proto.set_name(name);
    proto.set_parameter_number(parameter_number);
    if (!replicated_at_leaf_buffers.empty()) {
      *proto.mutable_parameter_replication()->mutable_replicated_at_leaf_buffers() = {
          replicated_at_leaf_buffers.begin(), replicated_at_leaf_buffers.end()};
    }
    return XlaBuilderFriend::Add(builder, std::move(proto), Opcode::kParameter, shape, {});
  });
}

XlaOp Parameter(int64_t parameter_number, const Shape& shape, const std::string& name) {
  return Parameter(XlaBuilderFriend::Youngest(), parameter_number, shape, name);
}

XlaOp Tuple(XlaBuilder* builder, absl::Span<const XlaOp> elements) {
  XlaBuilderFriend::Live(builder);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(elements));
    return XlaBuilderFriend::Add(builder, {}, Opcode::kTuple, ShapeUtil::MakeTupleShape(shapes),
                                 elements);
  });
}

XlaOp GetTupleElement(XlaOp tuple_data, int64_t index) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(tuple_data);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* tuple, builder->GetShapePtr(tuple_data));
    const std::string text = ShapeUtil::HumanString(*tuple);
    if (!tuple->IsTuple()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Operand to GetTupleElement() is not a tuple; got ", text));
    }
    if (index < 0 || index >= tuple->tuple_shapes_size()) {
      return absl::InvalidArgumentError(absl::StrCat("GetTupleElement() index (", index,
                                                     ") out of range for tuple shape ", text));
    }
    HloInstructionProto proto;
    proto.set_tuple_index(index);
    return XlaBuilderFriend::Add(builder, std::move(proto), Opcode::kGetTupleElement,
                                 tuple->tuple_shapes(static_cast<int>(index)), {tuple_data});
  });
}

XlaOp Call(XlaBuilder* builder, const XlaComputation& computation,
           absl::Span<const XlaOp> operands) {
  XlaBuilderFriend::Live(builder);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(operands));
    TF_ASSIGN_OR_RETURN(const ProgramShape called, computation.GetProgramShape());
    if (called.parameters_size() != static_cast<int>(shapes.size())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Call applied function arity must match number of arguments; got: arity: ",
          called.parameters_size(), ", arguments: ", shapes.size(), "; computation signature: ",
          ShapeUtil::HumanString(called), "; argument shapes: [", HumanStrings(shapes), "]."));
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
      const Shape& parameter = called.parameters(static_cast<int>(i));
      if (ShapeUtil::Compatible(parameter, shapes[i])) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("Call parameter must match argument; got parameter ", i,
                       " shape: ", ShapeUtil::HumanString(parameter),
                       ", argument shape: ", ShapeUtil::HumanString(shapes[i]), "."));
    }
    HloInstructionProto proto;
    TF_RETURN_IF_ERROR(XlaBuilderFriend::AddCalled(builder, computation, &proto));
    return XlaBuilderFriend::Add(builder, std::move(proto), Opcode::kCall, called.result(),
                                 operands);
  });
}

XlaOp CreateToken(XlaBuilder* builder) {
  XlaBuilderFriend::Live(builder);
  return builder->ReportErrorOrReturn(
      XlaBuilderFriend::Add(builder, {}, Opcode::kAfterAll, ShapeUtil::MakeTokenShape(), {}));
}

XlaOp AfterAll(XlaBuilder* builder, absl::Span<const XlaOp> tokens) {
  XlaBuilderFriend::Live(builder);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    if (tokens.empty()) {
      return absl::InvalidArgumentError("AfterAll requires at least one operand");
    }
    TF_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, builder->GetOperandShapes(tokens));
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (shapes[i].IsToken()) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("All operands to AfterAll must be tokens; operand ", i, " has shape ",
                       ShapeUtil::HumanString(shapes[i])));
    }
    return XlaBuilderFriend::Add(builder, {}, Opcode::kAfterAll, ShapeUtil::MakeTokenShape(),
                                 tokens);
  });
}

XlaOp AddDependency(XlaOp operand, XlaOp token) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(operand));
    return XlaBuilderFriend::BuildAddDependency(builder, operand, token, shape);
  });
}

namespace internal {

XlaOp XlaBuilderFriend::BuildAddDependency(XlaBuilder* builder, XlaOp operand, XlaOp token,
                                           const Shape& shape) {
  Live(builder);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* token_shape, builder->GetShapePtr(token));
    if (!token_shape->IsToken()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected a token as what to wait for, but got ",
                       ShapeUtil::HumanString(*token_shape), "."));
    }
    return Add(builder, {}, Opcode::kAddDependency, shape, {operand, token});
  });
}

}  // namespace internal
}  // namespace callbridge_v1
}  // namespace xla
