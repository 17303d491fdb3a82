#include "callbridge/hlo/xla_shape_ops.h"

#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

using Sizes = absl::Span<const int64_t>;

Status ExpectArray(const Shape& shape, absl::string_view what) {
  if (shape.IsArray()) return OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("Expected array argument for ", what, ", but got ",
                                                 ShapeUtil::HumanString(shape), "."));
}

// XLA's builder lets dimensions of size 1 be stretched, where the instruction does not.
Status CheckInDim(const Shape& operand, Sizes sizes, Sizes dimensions) {
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

Status CheckReshape(const Shape& operand, Sizes sizes) {
  TF_ASSIGN_OR_RETURN(const callbridge::Shape from, callbridge::hlo::ShapeFromXla(operand));
  return callbridge::hlo::InferReshape(from, sizes).status();
}

}  // namespace

XlaOp Broadcast(XlaOp operand, Sizes broadcast_sizes) {
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
    return AddBroadcast(operand, sizes, dimensions);
  });
}

XlaOp BroadcastInDim(XlaOp operand, Sizes out_dim_size, Sizes broadcast_dimensions) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* shape, builder->GetShapePtr(operand));
    TF_RETURN_IF_ERROR(ShapeUtil::MakeValidatedShape(shape->element_type(), out_dim_size).status());
    TF_RETURN_IF_ERROR(CheckInDim(*shape, out_dim_size, broadcast_dimensions));
    std::vector<int64_t> sizes(out_dim_size.begin(), out_dim_size.end());
    for (size_t i = 0; i < broadcast_dimensions.size(); ++i) {
      sizes[broadcast_dimensions[i]] = shape->dimensions(static_cast<int>(i));
    }
    TF_ASSIGN_OR_RETURN(const XlaOp placed, AddBroadcast(operand, sizes, broadcast_dimensions));
    return sizes == out_dim_size ? placed : AddStretch(placed, out_dim_size);
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

XlaOp Reshape(XlaOp operand, Sizes new_sizes) {
  XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  return builder->ReportErrorOrReturn([&]() -> StatusOr<XlaOp> {
    TF_ASSIGN_OR_RETURN(const Shape* from, builder->GetShapePtr(operand));
    TF_RETURN_IF_ERROR(CheckReshape(*from, new_sizes));
    TF_ASSIGN_OR_RETURN(const Shape shape,
                        ShapeUtil::MakeValidatedShape(from->element_type(), new_sizes));
    return XlaBuilderFriend::Add(builder, {}, Opcode::kReshape, shape, {operand});
  });
}

XlaOp Reshape(XlaOp operand, Sizes dimensions, Sizes new_sizes) {
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

}  // namespace callbridge_v1
}  // namespace xla
