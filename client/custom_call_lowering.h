// LowerCustomCall: makes a custom call a step of a Graph.
#ifndef CALLBRIDGE_CLIENT_CUSTOM_CALL_LOWERING_H_
#define CALLBRIDGE_CLIENT_CUSTOM_CALL_LOWERING_H_

#include <vector>

#include "absl/status/status.h"
#include "callbridge/abi/shape.h"
#include "callbridge/client/graph_builder.h"
#include "callbridge/client/instruction_result.h"
#include "callbridge/client/target_table.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::client {

// Binds the call and converts its arrays to the layouts that it constrains, and back. Sets the
// leaves and the step of `result`, whose shape is known. `shape_with_layouts` is the instruction's.
absl::Status LowerCustomCall(const xla::HloInstructionProto& instruction,
                             const TargetTable& targets,
                             const std::vector<InstructionResult*>& operands,
                             const Shape& shape_with_layouts, GraphBuilder& builder,
                             InstructionResult& result);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_CUSTOM_CALL_LOWERING_H_
