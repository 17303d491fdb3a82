#include "callbridge/hlo/xla_constant_ops.h"

#include <cstring>
#include <utility>

#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/xla_builder.h"

namespace xla {
inline namespace callbridge_v1 {

using callbridge::hlo::Opcode;
using internal::XlaBuilderFriend;

namespace {

// Whether an array has more elements than one, and all have the same bits. XLA compares values, and
// makes {0.0, -0.0} twice 0.0.
bool AllTheSame(const LiteralSlice& literal) {
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
    if (!AllTheSame(literal)) return AddConstant(builder, literal);
    Literal scalar(ShapeUtil::MakeScalarShape(literal.shape().element_type()));
    std::memcpy(scalar.untyped_data(), literal.untyped_data(), scalar.size_bytes());
    TF_ASSIGN_OR_RETURN(const XlaOp constant, AddConstant(builder, scalar));
    return Broadcast(constant, literal.shape().dimensions());
  });
}

}  // namespace callbridge_v1
}  // namespace xla
