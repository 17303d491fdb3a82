// Instructions that computations are put together of: parameters, tuples, calls, tokens.
//
// As in XLA, all that add instructions return an invalid XlaOp after an error, which Build()
// reports. A null builder ends the process with a message.
#ifndef CALLBRIDGE_HLO_XLA_STRUCTURE_OPS_H_
#define CALLBRIDGE_HLO_XLA_STRUCTURE_OPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/xla_op.h"

namespace xla {
inline namespace callbridge_v1 {

class XlaComputation;

CALLBRIDGE_EXPORTED XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number,
                                    const Shape& shape, const std::string& name);
// With a flag for each leaf: whether it is the same on all replicas.
CALLBRIDGE_EXPORTED XlaOp Parameter(XlaBuilder* builder, int64_t parameter_number,
                                    const Shape& shape, const std::string& name,
                                    const std::vector<bool>& replicated_at_leaf_buffers);
// XLA's documentation of custom calls leaves the builder out, as XLA's functions never could. It is
// the youngest one that the calling thread made and that is still there.
CALLBRIDGE_EXPORTED XlaOp Parameter(int64_t parameter_number, const Shape& shape,
                                    const std::string& name);

CALLBRIDGE_EXPORTED XlaOp Tuple(XlaBuilder* builder, absl::Span<const XlaOp> elements);
CALLBRIDGE_EXPORTED XlaOp GetTupleElement(XlaOp tuple_data, int64_t index);

CALLBRIDGE_EXPORTED XlaOp Call(XlaBuilder* builder, const XlaComputation& computation,
                               absl::Span<const XlaOp> operands);

// Tokens order what has side effects.
CALLBRIDGE_EXPORTED XlaOp CreateToken(XlaBuilder* builder);
CALLBRIDGE_EXPORTED XlaOp AfterAll(XlaBuilder* builder, absl::Span<const XlaOp> tokens);
// `operand`, once `token` is there. XLA's own builder has it under internal::XlaBuilderFriend.
CALLBRIDGE_EXPORTED XlaOp AddDependency(XlaOp operand, XlaOp token);

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_XLA_STRUCTURE_OPS_H_
