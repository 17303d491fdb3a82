// Constants.
#ifndef CALLBRIDGE_HLO_XLA_CONSTANT_OPS_H_
#define CALLBRIDGE_HLO_XLA_CONSTANT_OPS_H_

#include <cstdint>
#include <initializer_list>

#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/literal.h"
#include "callbridge/hlo/literal_util.h"
#include "callbridge/hlo/xla_op.h"

namespace xla {
inline namespace callbridge_v1 {

// An array of elements that all have the same bits becomes a scalar and a broadcast, as in XLA.
CALLBRIDGE_EXPORTED XlaOp ConstantLiteral(XlaBuilder* builder, const LiteralSlice& literal);

template <typename NativeT>
XlaOp ConstantR0(XlaBuilder* builder, NativeT value) {
  return ConstantLiteral(builder, LiteralUtil::CreateR0<NativeT>(value));
}
template <typename NativeT>
XlaOp ConstantR1(XlaBuilder* builder, absl::Span<const NativeT> values) {
  return ConstantLiteral(builder, LiteralUtil::CreateR1<NativeT>(values));
}
// `length` elements of one value.
template <typename NativeT>
XlaOp ConstantR1(XlaBuilder* builder, int64_t length, NativeT value) {
  return ConstantLiteral(builder,
                         LiteralUtil::CreateFullWithDescendingLayout<NativeT>({length}, value));
}
// Inner lists must be equally long.
template <typename NativeT>
XlaOp ConstantR2(XlaBuilder* builder,
                 std::initializer_list<std::initializer_list<NativeT>> values) {
  return ConstantLiteral(builder, LiteralUtil::CreateR2<NativeT>(values));
}

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_XLA_CONSTANT_OPS_H_
