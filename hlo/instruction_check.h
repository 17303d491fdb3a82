// One instruction of a module: whether it has the operands, the shape and the attributes of its
// opcode.
#ifndef CALLBRIDGE_HLO_INSTRUCTION_CHECK_H_
#define CALLBRIDGE_HLO_INSTRUCTION_CHECK_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/shape_ids.h"

namespace callbridge::hlo {

// With what is asked of it more than once.
struct ShapedInstruction {
  const xla::HloInstructionProto* proto;
  Shape shape;
  int shape_id;
  int64_t element_count;
};

struct ShapedComputation {
  const xla::HloComputationProto* proto;
  std::vector<ShapedInstruction> instructions;
  // By number.
  std::vector<const ShapedInstruction*> parameters;
  const ShapedInstruction* root;
};

// The leaf at `index` of the tuple tree `shape`, or null.
const Shape* LeafAt(const Shape& shape, absl::Span<const int64_t> index);

// INVALID_ARGUMENT says what is wrong, but not where. Whom the instruction refers to has been
// checked before.
absl::Status CheckInstruction(const ShapedInstruction& instruction,
                              absl::Span<const ShapedInstruction* const> operands,
                              absl::Span<const ShapedComputation* const> called, ShapeIds& ids);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_INSTRUCTION_CHECK_H_
