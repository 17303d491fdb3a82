// Instructions that work element by element, and the operators.
//
// Where operands of two have different shapes, instructions that broadcast them go before, as XLA's
// builder makes them: a scalar becomes as large as the other; of operands of one rank, dimensions
// of size 1 are stretched; of different ranks, broadcast_dimensions says which dimensions of the
// larger one the smaller one has.
#ifndef CALLBRIDGE_HLO_XLA_ELEMENTWISE_OPS_H_
#define CALLBRIDGE_HLO_XLA_ELEMENTWISE_OPS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/xla_op.h"

namespace xla {
inline namespace callbridge_v1 {

CALLBRIDGE_EXPORTED XlaOp Add(XlaOp lhs, XlaOp rhs,
                              absl::Span<const int64_t> broadcast_dimensions = {});
CALLBRIDGE_EXPORTED XlaOp Sub(XlaOp lhs, XlaOp rhs,
                              absl::Span<const int64_t> broadcast_dimensions = {});
CALLBRIDGE_EXPORTED XlaOp Mul(XlaOp lhs, XlaOp rhs,
                              absl::Span<const int64_t> broadcast_dimensions = {});
CALLBRIDGE_EXPORTED XlaOp Div(XlaOp lhs, XlaOp rhs,
                              absl::Span<const int64_t> broadcast_dimensions = {});
CALLBRIDGE_EXPORTED XlaOp Max(XlaOp lhs, XlaOp rhs,
                              absl::Span<const int64_t> broadcast_dimensions = {});
CALLBRIDGE_EXPORTED XlaOp Min(XlaOp lhs, XlaOp rhs,
                              absl::Span<const int64_t> broadcast_dimensions = {});
CALLBRIDGE_EXPORTED XlaOp Neg(XlaOp operand);
CALLBRIDGE_EXPORTED XlaOp Abs(XlaOp operand);

CALLBRIDGE_EXPORTED XlaOp operator-(XlaOp x);
CALLBRIDGE_EXPORTED XlaOp operator+(XlaOp x, XlaOp y);
CALLBRIDGE_EXPORTED XlaOp operator-(XlaOp x, XlaOp y);
CALLBRIDGE_EXPORTED XlaOp operator*(XlaOp x, XlaOp y);
CALLBRIDGE_EXPORTED XlaOp operator/(XlaOp x, XlaOp y);

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_XLA_ELEMENTWISE_OPS_H_
