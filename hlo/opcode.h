// The opcodes that callbridge runs: those that programs need around custom calls. All others pass
// through as text. To add one, add an enumerator and a row here, its shape to shape_inference and
// its execution to client/.
#ifndef CALLBRIDGE_HLO_OPCODE_H_
#define CALLBRIDGE_HLO_OPCODE_H_

#include <array>
#include <cstddef>
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

struct OpcodeInfo {
  Opcode opcode;
  absl::string_view name;
  int operand_count;
  bool is_elementwise;
};

inline constexpr int kAnyOperandCount = -1;

// clang-format off
inline constexpr std::array<OpcodeInfo, 20> kOpcodes = {{
    {Opcode::kAbs, "abs", 1, true},
    {Opcode::kAdd, "add", 2, true},
    {Opcode::kAddDependency, "add-dependency", 2, false},
    {Opcode::kAfterAll, "after-all", kAnyOperandCount, false},
    {Opcode::kBroadcast, "broadcast", 1, false},
    {Opcode::kCall, "call", kAnyOperandCount, false},
    {Opcode::kConstant, "constant", 0, false},
    {Opcode::kConvert, "convert", 1, false},
    {Opcode::kCopy, "copy", 1, false},
    {Opcode::kCustomCall, "custom-call", kAnyOperandCount, false},
    {Opcode::kDivide, "divide", 2, true},
    {Opcode::kGetTupleElement, "get-tuple-element", 1, false},
    {Opcode::kMaximum, "maximum", 2, true},
    {Opcode::kMinimum, "minimum", 2, true},
    {Opcode::kMultiply, "multiply", 2, true},
    {Opcode::kNegate, "negate", 1, true},
    {Opcode::kParameter, "parameter", 0, false},
    {Opcode::kReshape, "reshape", 1, false},
    {Opcode::kSubtract, "subtract", 2, true},
    {Opcode::kTuple, "tuple", kAnyOperandCount, false},
}};
// clang-format on

constexpr bool OpcodesAreInOrder() {
  for (size_t i = 0; i < kOpcodes.size(); ++i) {
    if (static_cast<size_t>(kOpcodes[i].opcode) != i) return false;
  }
  return static_cast<size_t>(Opcode::kTuple) + 1 == kOpcodes.size();
}
static_assert(OpcodesAreInOrder(), "the rows must be in the order of the enumerators");

constexpr const OpcodeInfo& InfoOf(Opcode opcode) { return kOpcodes[static_cast<size_t>(opcode)]; }

// Returns XLA's name, as in HloInstructionProto.opcode: "add-dependency". The view is to static
// storage.
constexpr absl::string_view OpcodeName(Opcode opcode) { return InfoOf(opcode).name; }

// Returns nothing if the name is unknown.
inline std::optional<Opcode> ParseOpcode(absl::string_view name) {
  for (const OpcodeInfo& info : kOpcodes) {
    if (info.name == name) return info.opcode;
  }
  return std::nullopt;
}

// Returns the number of operands that the instruction takes, or kAnyOperandCount.
constexpr int OperandCount(Opcode opcode) { return InfoOf(opcode).operand_count; }

// Returns true for elementwise instructions of two operands.
constexpr bool IsElementwiseBinary(Opcode opcode) {
  return InfoOf(opcode).is_elementwise && InfoOf(opcode).operand_count == 2;
}

// Returns true for elementwise instructions of one operand.
constexpr bool IsElementwiseUnary(Opcode opcode) {
  return InfoOf(opcode).is_elementwise && InfoOf(opcode).operand_count == 1;
}

// Returns true for a custom call, also for one that XLA's text writes as one line with the
// async-start that wraps it, "custom-call-start".
template <typename Instruction>
bool IsCustomCall(const Instruction& instruction) {
  return instruction.opcode() == OpcodeName(Opcode::kCustomCall) ||
         instruction.opcode() == "custom-call-start";
}

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_OPCODE_H_
