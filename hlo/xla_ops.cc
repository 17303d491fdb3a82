// The instructions on arrays: elementwise ones, broadcasts, reshapes, conversions, constants.
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/hlo/shape_inference.h"
#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/xla_builder.h"

namespace xla {
inline namespace callbridge_v1 {
namespace {

using callbridge::hlo::Opcode;
using internal::XlaBuilderFriend;
using Dimensions = absl::Span<const int64_t>;

// Adds one broadcast instruction. Dimension i of the operand becomes dimension
// broadcast_dimensions[i] of the result.
StatusOr<XlaOp> InDimBroadcast(XlaOp operand, Dimensions sizes, Dimensions broadcast_dimensions) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  TF_ASSIGN_OR_RETURN(const Shape* shape, builder->GetShapePtr(operand));
  TF_ASSIGN_OR_RETURN(const Shape result,
                      ShapeUtil::MakeValidatedShape(shape->element_type(), sizes));
  HloInstructionProto proto;
  proto.mutable_dimensions()->Add(broadcast_dimensions.begin(), broadcast_dimensions.end());
  return XlaBuilderFriend::Add(builder, std::move(proto), Opcode::kBroadcast, result, {operand});
}

// Broadcasts degenerate dimensions: adds a reshape that removes them and a broadcast that adds
// them.
StatusOr<XlaOp> AddBroadcastSequence(XlaOp operand, Dimensions sizes) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  TF_ASSIGN_OR_RETURN(const Shape* shape, builder->GetShapePtr(operand));
  TF_ASSIGN_OR_RETURN(
      const callbridge::hlo::DegenerateDimensionBroadcast broadcast,
      callbridge::hlo::InferDegenerateDimensionBroadcast(shape->dimensions(), sizes));
  TF_ASSIGN_OR_RETURN(const Shape reshaped,
                      ShapeUtil::MakeValidatedShape(shape->element_type(), broadcast.sizes));
  TF_ASSIGN_OR_RETURN(const XlaOp without,
                      XlaBuilderFriend::Add(builder, {}, Opcode::kReshape, reshaped, {operand}));
  return InDimBroadcast(without, sizes, broadcast.dimensions);
}

}  // namespace

// ---- Elementwise instructions -------------------------------------------------------------------

namespace {

// Checks the operands' types, but not their dimensions.
Status CheckTypes(Opcode opcode, const Shape& lhs, const Shape& rhs) {
  TF_ASSIGN_OR_RETURN(const callbridge::Shape left, callbridge::hlo::ShapeFromXla(lhs));
  TF_ASSIGN_OR_RETURN(const callbridge::Shape right, callbridge::hlo::ShapeFromXla(rhs));
  if (left.IsArray() && left.element_type() == right.element_type()) {
    return callbridge::hlo::InferBinary(opcode, left, left).status();
  }
  return callbridge::hlo::InferBinary(opcode, left, right).status();
}

// Broadcasts `operand` to the dimensions of the result.
StatusOr<XlaOp> Expand(XlaBuilder* builder, XlaOp operand, const std::vector<int64_t>& result,
                       Dimensions broadcast_dimensions) {
  TF_ASSIGN_OR_RETURN(const Shape* shape, builder->GetShapePtr(operand));
  std::vector<int64_t> sizes(shape->dimensions().begin(), shape->dimensions().end());
  XlaOp expanded = operand;
  if (sizes.size() < result.size()) {
    std::vector<int64_t> placed = result;
    for (size_t i = 0; i < sizes.size(); ++i) placed[broadcast_dimensions[i]] = sizes[i];
    TF_ASSIGN_OR_RETURN(expanded, InDimBroadcast(operand, placed, broadcast_dimensions));
    sizes = placed;
  }
  return sizes == result ? expanded : AddBroadcastSequence(expanded, result);
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

// ---- Shapes and element types -------------------------------------------------------------------

namespace {

Status ExpectArray(const Shape& shape, absl::string_view what) {
  if (shape.IsArray()) return OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("Expected array argument for ", what, ", but got ",
                                                 ShapeUtil::HumanString(shape), "."));
}

// XLA's builder broadcasts degenerate dimensions. The broadcast instruction does not.
Status CheckInDim(const Shape& operand, Dimensions sizes, Dimensions dimensions) {
  TF_RETURN_IF_ERROR(ExpectArray(operand, "operand of broadcast"));
  if (static_cast<int64_t>(dimensions.size()) != operand.rank()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Size of broadcast_dimensions has to match operand's rank; operand rank: ", operand.rank(),
        ", size of broadcast_dimensions ", dimensions.size(), "."));
  }
  if (dimensions.size() > sizes.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "InDim style broadcast must be to an equal or higher ranked shape; operand rank: ",
        operand.rank(), "; output rank: ", sizes.size()));
  }
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t to = dimensions[i];
    if (to < 0 || static_cast<size_t>(to) >= sizes.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("Broadcast dimension ", to, " is out of bound"));
    }
    const int64_t size = operand.dimensions(static_cast<int>(i));
    if (size != 1 && size != sizes[to]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Input dimension should be either 1 or equal to the output dimension it is broadcasting "
          "into; the ",
          i, "th operand dimension is ", size, ", the ", i, "th output dimension is ", sizes[to],
          "."));
    }
    if (i > 0 && dimensions[i - 1] >= to) {
      return absl::InvalidArgumentError(absl::StrCat("Broadcast dimensions order is wrong: ", to,
                                                     " comes after ", dimensions[i - 1], "."));
    }
  }
  return OkStatus();
}

Status CheckReshape(const Shape& operand, Dimensions sizes) {
  TF_ASSIGN_OR_RETURN(const callbridge::Shape from, callbridge::hlo::ShapeFromXla(operand));
  return callbridge::hlo::InferReshape(from, sizes).status();
}

}  // namespace

XlaOp Broadcast(XlaOp operand, Dimensions broadcast_sizes) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* shape, builder->GetShapePtr(operand));
    TF_RETURN_IF_ERROR(ExpectArray(*shape, "operand of broadcast"));
    for (const int64_t size : broadcast_sizes) {
      if (size >= 0) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("Broadcast with negative dimension size ", size, "."));
    }
    std::vector<int64_t> sizes(broadcast_sizes.begin(), broadcast_sizes.end());
    sizes.insert(sizes.end(), shape->dimensions().begin(), shape->dimensions().end());
    std::vector<int64_t> dimensions(shape->rank());
    std::iota(dimensions.begin(), dimensions.end(), static_cast<int64_t>(broadcast_sizes.size()));
    return InDimBroadcast(operand, sizes, dimensions);
  });
}

XlaOp BroadcastInDim(XlaOp operand, Dimensions out_dim_size, Dimensions broadcast_dimensions) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* shape, builder->GetShapePtr(operand));
    TF_RETURN_IF_ERROR(ShapeUtil::MakeValidatedShape(shape->element_type(), out_dim_size).status());
    TF_RETURN_IF_ERROR(CheckInDim(*shape, out_dim_size, broadcast_dimensions));
    std::vector<int64_t> sizes(out_dim_size.begin(), out_dim_size.end());
    for (size_t i = 0; i < broadcast_dimensions.size(); ++i) {
      sizes[broadcast_dimensions[i]] = shape->dimensions(static_cast<int>(i));
    }
    TF_ASSIGN_OR_RETURN(const XlaOp placed, InDimBroadcast(operand, sizes, broadcast_dimensions));
    return sizes == out_dim_size ? placed : AddBroadcastSequence(placed, out_dim_size);
  });
}

XlaOp Reshape(const Shape& shape, XlaOp operand) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* from, builder->GetShapePtr(operand));
    TF_RETURN_IF_ERROR(CheckReshape(*from, shape.dimensions()));
    if (shape.element_type() != from->element_type()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Reshape keeps the element type, but leads from ", ShapeUtil::HumanString(*from), " to ",
          ShapeUtil::HumanString(shape), ". Convert it first."));
    }
    return XlaBuilderFriend::Add(builder, {}, Opcode::kReshape, shape, {operand});
  });
}

XlaOp Reshape(XlaOp operand, Dimensions new_sizes) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* from, builder->GetShapePtr(operand));
    TF_RETURN_IF_ERROR(CheckReshape(*from, new_sizes));
    TF_ASSIGN_OR_RETURN(const Shape shape,
                        ShapeUtil::MakeValidatedShape(from->element_type(), new_sizes));
    return XlaBuilderFriend::Add(builder, {}, Opcode::kReshape, shape, {operand});
  });
}

XlaOp Reshape(XlaOp operand, Dimensions dimensions, Dimensions new_sizes) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* shape, builder->GetShapePtr(operand));
    std::vector<bool> seen(shape->rank(), false);
    bool permutation = static_cast<int64_t>(dimensions.size()) == shape->rank();
    bool identity = true;
    for (size_t i = 0; permutation && i < dimensions.size(); ++i) {
      const int64_t dimension = dimensions[i];
      permutation = dimension >= 0 && dimension < shape->rank() && !seen[dimension];
      if (permutation) seen[dimension] = true;
      identity = identity && dimension == static_cast<int64_t>(i);
    }
    if (!permutation) {
      return absl::InvalidArgumentError(
          absl::StrCat("Reshape dimensions [", absl::StrJoin(dimensions, ","),
                       "] are not a permutation of the operand dimensions (operand shape is ",
                       ShapeUtil::HumanString(*shape), ")."));
    }
    if (!identity) {
      return absl::UnimplementedError(
          absl::StrCat("Reshape with dimensions [", absl::StrJoin(dimensions, ","),
                       "] transposes, by an instruction that callbridge does not have; expected "
                       "them in ascending order"));
    }
    return Reshape(operand, new_sizes);
  });
}

XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* from, builder->GetShapePtr(operand));
    TF_ASSIGN_OR_RETURN(const callbridge::Shape shape, callbridge::hlo::ShapeFromXla(*from));
    const auto type = callbridge::IsPrimitiveType(new_element_type)
                          ? static_cast<callbridge::PrimitiveType>(new_element_type)
                          : callbridge::PrimitiveType::kInvalid;
    TF_RETURN_IF_ERROR(callbridge::hlo::InferConvert(shape, type).status());
    return XlaBuilderFriend::Add(builder, {}, Opcode::kConvert,
                                 ShapeUtil::ChangeElementType(*from, new_element_type), {operand});
  });
}

XlaOp Copy(XlaOp operand) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape shape, builder->GetShape(operand));
    return XlaBuilderFriend::Add(builder, {}, Opcode::kCopy, shape, {operand});
  });
}

// ---- Constants ----------------------------------------------------------------------------------

namespace {

// Returns true for an array of two or more elements that all have the same bits. XLA compares
// values, and turns {0.0, -0.0} into two 0.0.
bool AllElementsAreEqual(const LiteralSlice& literal) {
  if (!literal.shape().IsArray() || literal.element_count() < 2) return false;
  const char* const bytes = static_cast<const char*>(literal.untyped_data());
  const size_t width = primitive_util::ByteWidth(literal.shape().element_type());
  const size_t size = static_cast<size_t>(literal.size_bytes());
  return std::memcmp(bytes, bytes + width, size - width) == 0;
}

StatusOr<XlaOp> AddConstant(XlaBuilder* builder, const LiteralBase& literal) {
  HloInstructionProto proto;
  *proto.mutable_literal() = literal.ToProto();
  return XlaBuilderFriend::Add(builder, std::move(proto), Opcode::kConstant, literal.shape(), {});
}

}  // namespace

XlaOp ConstantLiteral(XlaBuilder* builder, const LiteralSlice& literal) {
  XlaBuilderFriend::Live(builder);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    if (!AllElementsAreEqual(literal)) return AddConstant(builder, literal);
    Literal scalar(ShapeUtil::MakeScalarShape(literal.shape().element_type()));
    std::memcpy(scalar.untyped_data(), literal.untyped_data(), scalar.size_bytes());
    TF_ASSIGN_OR_RETURN(const XlaOp constant, AddConstant(builder, scalar));
    return Broadcast(constant, literal.shape().dimensions());
  });
}

}  // namespace callbridge_v1
}  // namespace xla
