#include "callbridge/hlo/xla_elementwise_ops.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/hlo/implicit_broadcast.h"
#include "callbridge/hlo/shape_conversion.h"
#include "callbridge/hlo/shape_inference.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/broadcast_instructions.h"
#include "callbridge/hlo/xla_builder.h"

namespace xla {
inline namespace callbridge_v1 {

using callbridge::hlo::AddBroadcast;
using callbridge::hlo::AddStretch;
using callbridge::hlo::Opcode;
using internal::XlaBuilderFriend;

namespace {

using Dimensions = absl::Span<const int64_t>;

// Types and kinds of the operands, whatever their dimensions are.
Status CheckTypes(Opcode opcode, const Shape& lhs, const Shape& rhs) {
  TF_ASSIGN_OR_RETURN(const callbridge::Shape left, callbridge::hlo::ShapeFromXla(lhs));
  TF_ASSIGN_OR_RETURN(const callbridge::Shape right, callbridge::hlo::ShapeFromXla(rhs));
  if (left.IsArray() && left.element_type() == right.element_type()) {
    return callbridge::hlo::InferBinary(opcode, left, left).status();
  }
  return callbridge::hlo::InferBinary(opcode, left, right).status();
}

// `operand` with the dimensions of the result.
StatusOr<XlaOp> Expand(XlaBuilder* builder, XlaOp operand, const std::vector<int64_t>& result,
                       Dimensions broadcast_dimensions) {
  TF_ASSIGN_OR_RETURN(const Shape* shape, builder->GetShapePtr(operand));
  std::vector<int64_t> sizes(shape->dimensions().begin(), shape->dimensions().end());
  XlaOp expanded = operand;
  if (sizes.size() < result.size()) {
    std::vector<int64_t> placed = result;
    for (size_t i = 0; i < sizes.size(); ++i) placed[broadcast_dimensions[i]] = sizes[i];
    TF_ASSIGN_OR_RETURN(expanded, AddBroadcast(operand, placed, broadcast_dimensions));
    sizes = placed;
  }
  return sizes == result ? expanded : AddStretch(expanded, result);
}

XlaOp Binary(Opcode opcode, XlaOp lhs, XlaOp rhs, Dimensions broadcast_dimensions) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(lhs);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* left, builder->GetShapePtr(lhs));
    TF_ASSIGN_OR_RETURN(const Shape* right, builder->GetShapePtr(rhs));
    TF_RETURN_IF_ERROR(CheckTypes(opcode, *left, *right));
    TF_ASSIGN_OR_RETURN(const std::vector<int64_t> dimensions,
                        callbridge::hlo::InferImplicitBroadcast(
                            left->dimensions(), right->dimensions(), broadcast_dimensions,
                            callbridge::hlo::OpcodeName(opcode), ShapeUtil::HumanString(*left),
                            ShapeUtil::HumanString(*right)));
    // Where nothing is broadcast, the result has the left operand's layout.
    Shape result = *left;
    if (!ShapeUtil::SameDimensions(*left, *right)) {
      TF_ASSIGN_OR_RETURN(result, ShapeUtil::MakeValidatedShape(left->element_type(), dimensions));
    }
    TF_ASSIGN_OR_RETURN(const XlaOp x, Expand(builder, lhs, dimensions, broadcast_dimensions));
    TF_ASSIGN_OR_RETURN(const XlaOp y, Expand(builder, rhs, dimensions, broadcast_dimensions));
    return XlaBuilderFriend::Add(builder, {}, opcode, result, {x, y});
  });
}

XlaOp Unary(Opcode opcode, XlaOp operand) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* shape, builder->GetShapePtr(operand));
    TF_ASSIGN_OR_RETURN(const callbridge::Shape from, callbridge::hlo::ShapeFromXla(*shape));
    TF_ASSIGN_OR_RETURN(const callbridge::Shape to, callbridge::hlo::InferUnary(opcode, from));
    const Shape result = ShapeUtil::ChangeElementType(
        *shape, static_cast<PrimitiveType>(static_cast<int>(to.element_type())));
    return XlaBuilderFriend::Add(builder, {}, opcode, result, {operand});
  });
}

}  // namespace

XlaOp Add(XlaOp lhs, XlaOp rhs, Dimensions broadcast_dimensions) {
  return Binary(Opcode::kAdd, lhs, rhs, broadcast_dimensions);
}
XlaOp Sub(XlaOp lhs, XlaOp rhs, Dimensions broadcast_dimensions) {
  return Binary(Opcode::kSubtract, lhs, rhs, broadcast_dimensions);
}
XlaOp Mul(XlaOp lhs, XlaOp rhs, Dimensions broadcast_dimensions) {
  return Binary(Opcode::kMultiply, lhs, rhs, broadcast_dimensions);
}
XlaOp Div(XlaOp lhs, XlaOp rhs, Dimensions broadcast_dimensions) {
  return Binary(Opcode::kDivide, lhs, rhs, broadcast_dimensions);
}
XlaOp Max(XlaOp lhs, XlaOp rhs, Dimensions broadcast_dimensions) {
  return Binary(Opcode::kMaximum, lhs, rhs, broadcast_dimensions);
}
XlaOp Min(XlaOp lhs, XlaOp rhs, Dimensions broadcast_dimensions) {
  return Binary(Opcode::kMinimum, lhs, rhs, broadcast_dimensions);
}
XlaOp Neg(XlaOp operand) { return Unary(Opcode::kNegate, operand); }
XlaOp Abs(XlaOp operand) { return Unary(Opcode::kAbs, operand); }

XlaOp operator-(XlaOp x) { return Neg(x); }
XlaOp operator+(XlaOp x, XlaOp y) { return Add(x, y); }
XlaOp operator-(XlaOp x, XlaOp y) { return Sub(x, y); }
XlaOp operator*(XlaOp x, XlaOp y) { return Mul(x, y); }
XlaOp operator/(XlaOp x, XlaOp y) { return Div(x, y); }

}  // namespace callbridge_v1
}  // namespace xla
