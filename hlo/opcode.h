// The instructions that callbridge knows: what custom calls need around them. A row more here, in
// shape_inference and in client/, is an instruction more.
#ifndef CALLBRIDGE_HLO_OPCODE_H_
#define CALLBRIDGE_HLO_OPCODE_H_

#include <optional>

#include "absl/strings/string_view.h"

namespace callbridge::hlo {

enum class Opcode {
  kAbs,
  kAdd,
  kAddDependency,
  kAfterAll,
  kBroadcast,
  kCall,
  kConstant,
  kConvert,
  kCopy,
  kCustomCall,
  kDivide,
  kGetTupleElement,
  kMaximum,
  kMinimum,
  kMultiply,
  kNegate,
  kParameter,
  kReshape,
  kSubtract,
  kTuple,
};

// XLA's name, as HloInstructionProto.opcode has it: "add-dependency". The view is to static
// storage.
absl::string_view OpcodeName(Opcode opcode);
// Nothing where the name is not known.
std::optional<Opcode> ParseOpcode(absl::string_view name);

// Operands that the instruction takes; -1 is any number.
int OperandCount(Opcode opcode);
// Of two operands, and of one, element by element.
bool IsElementwiseBinary(Opcode opcode);
bool IsElementwiseUnary(Opcode opcode);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_OPCODE_H_
