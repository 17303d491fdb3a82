#include "callbridge/hlo/broadcast_instructions.h"

#include <utility>

#include "callbridge/hlo/implicit_broadcast.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/xla_builder.h"

namespace callbridge::hlo {

using xla::internal::XlaBuilderFriend;

xla::StatusOr<xla::XlaOp> AddBroadcast(xla::XlaOp operand, absl::Span<const int64_t> sizes,
                                       absl::Span<const int64_t> dimensions) {
  xla::XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  TF_ASSIGN_OR_RETURN(const xla::Shape* shape, builder->GetShapePtr(operand));
  TF_ASSIGN_OR_RETURN(const xla::Shape result,
                      xla::ShapeUtil::MakeValidatedShape(shape->element_type(), sizes));
  xla::HloInstructionProto proto;
  proto.mutable_dimensions()->Add(dimensions.begin(), dimensions.end());
  return XlaBuilderFriend::Add(builder, std::move(proto), Opcode::kBroadcast, result, {operand});
}

xla::StatusOr<xla::XlaOp> AddStretch(xla::XlaOp operand, absl::Span<const int64_t> sizes) {
  xla::XlaBuilder* const builder = XlaBuilderFriend::Live(operand);
  TF_ASSIGN_OR_RETURN(const xla::Shape* shape, builder->GetShapePtr(operand));
  TF_ASSIGN_OR_RETURN(const Stretch stretch, StretchOf(shape->dimensions(), sizes));
  TF_ASSIGN_OR_RETURN(const xla::Shape reshaped,
                      xla::ShapeUtil::MakeValidatedShape(shape->element_type(), stretch.sizes));
  TF_ASSIGN_OR_RETURN(const xla::XlaOp without,
                      XlaBuilderFriend::Add(builder, {}, Opcode::kReshape, reshaped, {operand}));
  return AddBroadcast(without, sizes, stretch.dimensions);
}

}  // namespace callbridge::hlo
