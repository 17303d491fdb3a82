// Checks one instruction of a module: its operands, its shape and its attributes. Only
// module_check.cc uses this.
#ifndef CALLBRIDGE_HLO_INSTRUCTION_CHECK_H_
#define CALLBRIDGE_HLO_INSTRUCTION_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// Returns INVALID_ARGUMENT with the parts as its message.
template <typename... Parts>
absl::Status Invalid(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// Numbers shapes. Two shapes have the same number if they are equal but for their layouts. With it,
// a module of many instructions of many large shapes is checked in linear time.
class ShapeIds {
 public:
  int Of(const Shape& shape);
  // Same. Of any shape, also of those that `Shape` cannot hold.
  int Of(const xla::ShapeProto& shape);

 private:
  absl::flat_hash_map<std::string, int> ids_;
};

// An instruction, with what the checks need more than once.
struct ShapedInstruction {
  const xla::HloInstructionProto* proto;
  // Nothing if it is one that custom calls do not take. Such instructions pass through.
  std::optional<Shape> known_shape;
  int shape_id;
  int64_t element_count;

  const Shape& shape() const { return *known_shape; }
};

struct ShapedComputation {
  const xla::HloComputationProto* proto;
  std::vector<ShapedInstruction> instructions;
  // By parameter number.
  std::vector<const ShapedInstruction*> parameters;
  const ShapedInstruction* root;
};

// Returns INVALID_ARGUMENT with what is wrong, but without the instruction's name. The caller must
// have checked the operands and the called computations. Does not check instructions of shapes that
// custom calls do not take, or with operands of such shapes.
absl::Status CheckInstruction(const ShapedInstruction& instruction,
                              absl::Span<const ShapedInstruction* const> operands,
                              absl::Span<const ShapedComputation* const> called, ShapeIds& ids);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_INSTRUCTION_CHECK_H_
