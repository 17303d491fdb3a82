// Checks HLO modules. Modules come from files and may contain anything.
#ifndef CALLBRIDGE_HLO_MODULE_CHECK_H_
#define CALLBRIDGE_HLO_MODULE_CHECK_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// Returns OK if `module` is well-formed, so that later readers need no checks of their own:
// clang-format off
// - The entry computation exists, ids are unique, and each id that is referred to exists.
// - No computation calls itself, and each instruction comes after its operands.
// - Parameters are numbered 0 to n - 1, once each, and match the program shape.
// - Each instruction whose opcode opcode.h lists has the right number of operands and the shape that
//   follows from their shapes.
// - Literals hold the elements of their shapes, aliases refer to leaves of equal shapes, and API
//   versions are known.
// clang-format on
// Does not check instructions with other opcodes. Returns INVALID_ARGUMENT with the computation,
// the instruction, what was expected and what was found. Takes time and memory linear in the
// module's size.
absl::Status CheckModule(const xla::HloModuleProto& module);

// Returns the instructions of `computation` in the order in which they run: that of the module's
// schedule if it has one for `computation`, else that of the message. Returns INVALID_ARGUMENT for
// a schedule that omits an instruction, or has it before its operands or control predecessors.
// `module` must have passed CheckModule().
absl::StatusOr<std::vector<const xla::HloInstructionProto*>> InstructionOrder(
    const xla::HloModuleProto& module, const xla::HloComputationProto& computation);

// Returns the leaf of `shape` at `index`, or null if there is no leaf at `index`.
const Shape* LeafAt(const Shape& shape, absl::Span<const int64_t> index);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_MODULE_CHECK_H_
