// The instructions that XLA's builder adds to broadcast an operand.
#ifndef CALLBRIDGE_HLO_BROADCAST_INSTRUCTIONS_H_
#define CALLBRIDGE_HLO_BROADCAST_INSTRUCTIONS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/statusor.h"
#include "callbridge/hlo/xla_op.h"

namespace callbridge::hlo {

// One broadcast of the operand, whose dimensions are `dimensions` of the result.
xla::StatusOr<xla::XlaOp> AddBroadcast(xla::XlaOp operand, absl::Span<const int64_t> sizes,
                                       absl::Span<const int64_t> dimensions);
// A reshape that leaves out the dimensions of size 1 that are not 1 in the result, and a broadcast
// that puts them in.
xla::StatusOr<xla::XlaOp> AddStretch(xla::XlaOp operand, absl::Span<const int64_t> sizes);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_BROADCAST_INSTRUCTIONS_H_
