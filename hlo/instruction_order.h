// The order in which a computation's instructions run, and are printed.
#ifndef CALLBRIDGE_HLO_INSTRUCTION_ORDER_H_
#define CALLBRIDGE_HLO_INSTRUCTION_ORDER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// As the module's schedule has it, where there is one for `computation`, else as they stand.
// INVALID_ARGUMENT for a schedule that leaves out an instruction, or has it before its operands or
// control predecessors. `module` must have passed CheckModule().
absl::StatusOr<std::vector<const xla::HloInstructionProto*>> InstructionOrder(
    const xla::HloModuleProto& module, const xla::HloComputationProto& computation);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_INSTRUCTION_ORDER_H_
