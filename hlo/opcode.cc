#include "callbridge/hlo/opcode.h"

#include <array>

namespace callbridge::hlo {
namespace {

constexpr int kAny = -1;

struct Row {
  Opcode opcode;
  absl::string_view name;
  int operand_count;
  bool elementwise;
};

// In the order of Opcode.
constexpr std::array<Row, 20> kRows = {{
    {Opcode::kAbs, "abs", 1, true},
    {Opcode::kAdd, "add", 2, true},
    {Opcode::kAddDependency, "add-dependency", 2, false},
    {Opcode::kAfterAll, "after-all", kAny, false},
    {Opcode::kBroadcast, "broadcast", 1, false},
    {Opcode::kCall, "call", kAny, false},
    {Opcode::kConstant, "constant", 0, false},
    {Opcode::kConvert, "convert", 1, false},
    {Opcode::kCopy, "copy", 1, false},
    {Opcode::kCustomCall, "custom-call", kAny, false},
    {Opcode::kDivide, "divide", 2, true},
    {Opcode::kGetTupleElement, "get-tuple-element", 1, false},
    {Opcode::kMaximum, "maximum", 2, true},
    {Opcode::kMinimum, "minimum", 2, true},
    {Opcode::kMultiply, "multiply", 2, true},
    {Opcode::kNegate, "negate", 1, true},
    {Opcode::kParameter, "parameter", 0, false},
    {Opcode::kReshape, "reshape", 1, false},
    {Opcode::kSubtract, "subtract", 2, true},
    {Opcode::kTuple, "tuple", kAny, false},
}};

constexpr bool RowsAreInOrder() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<size_t>(kRows[i].opcode) != i) return false;
  }
  return static_cast<size_t>(Opcode::kTuple) + 1 == kRows.size();
}
static_assert(RowsAreInOrder());

const Row& RowOf(Opcode opcode) { return kRows[static_cast<size_t>(opcode)]; }

}  // namespace

absl::string_view OpcodeName(Opcode opcode) { return RowOf(opcode).name; }

std::optional<Opcode> ParseOpcode(absl::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.opcode;
  }
  return std::nullopt;
}

int OperandCount(Opcode opcode) { return RowOf(opcode).operand_count; }

bool IsElementwiseBinary(Opcode opcode) {
  return RowOf(opcode).elementwise && RowOf(opcode).operand_count == 2;
}

bool IsElementwiseUnary(Opcode opcode) {
  return RowOf(opcode).elementwise && RowOf(opcode).operand_count == 1;
}

}  // namespace callbridge::hlo
