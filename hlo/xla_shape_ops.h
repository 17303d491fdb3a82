// Instructions that give a value another shape or element type.
#ifndef CALLBRIDGE_HLO_XLA_SHAPE_OPS_H_
#define CALLBRIDGE_HLO_XLA_SHAPE_OPS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/xla_op.h"

namespace xla {
inline namespace callbridge_v1 {

// Dimensions of these sizes before those of the operand.
CALLBRIDGE_EXPORTED XlaOp Broadcast(XlaOp operand, absl::Span<const int64_t> broadcast_sizes);
// The operand's dimensions are the result's `broadcast_dimensions`, in that order; those of size 1
// are stretched.
CALLBRIDGE_EXPORTED XlaOp BroadcastInDim(XlaOp operand, absl::Span<const int64_t> out_dim_size,
                                         absl::Span<const int64_t> broadcast_dimensions);
CALLBRIDGE_EXPORTED XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> new_sizes);
// With `dimensions` in another order than the operand's: UNIMPLEMENTED, since it transposes.
CALLBRIDGE_EXPORTED XlaOp Reshape(XlaOp operand, absl::Span<const int64_t> dimensions,
                                  absl::Span<const int64_t> new_sizes);
CALLBRIDGE_EXPORTED XlaOp Reshape(const Shape& shape, XlaOp operand);
CALLBRIDGE_EXPORTED XlaOp ConvertElementType(XlaOp operand, PrimitiveType new_element_type);
CALLBRIDGE_EXPORTED XlaOp Copy(XlaOp operand);

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_XLA_SHAPE_OPS_H_
