#include "callbridge/hlo/instruction_order.h"

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace callbridge::hlo {
namespace {

using xla::HloComputationProto;
using xla::HloInstructionProto;

absl::Status BadSchedule(const HloComputationProto& computation, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "schedule of computation \"", absl::CHexEscape(computation.name()), "\": ", what));
}

}  // namespace

absl::StatusOr<std::vector<const HloInstructionProto*>> InstructionOrder(
    const xla::HloModuleProto& module, const HloComputationProto& computation) {
  std::vector<const HloInstructionProto*> order;
  order.reserve(computation.instructions_size());
  const auto& sequences = module.schedule().sequences();
  const auto scheduled = sequences.find(computation.id());
  if (scheduled == sequences.end()) {
    for (const HloInstructionProto& instruction : computation.instructions()) {
      order.push_back(&instruction);
    }
    return order;
  }

  absl::flat_hash_map<int64_t, const HloInstructionProto*> by_id;
  for (const HloInstructionProto& instruction : computation.instructions()) {
    by_id[instruction.id()] = &instruction;
  }
  absl::flat_hash_set<int64_t> before;
  for (int64_t id : scheduled->second.instruction_ids()) {
    const auto found = by_id.find(id);
    if (found == by_id.end()) {
      return BadSchedule(computation, absl::StrCat("instruction ", id, " is not in it"));
    }
    const HloInstructionProto* instruction = found->second;
    for (const auto* ids : {&instruction->operand_ids(), &instruction->control_predecessor_ids()}) {
      for (int64_t needed : *ids) {
        if (before.contains(needed)) continue;
        return BadSchedule(computation, absl::StrCat("expected instruction ", needed, " before ",
                                                     id, ", which needs it, got it behind"));
      }
    }
    if (before.insert(id).second) order.push_back(instruction);
  }
  if (order.size() != by_id.size()) {
    return BadSchedule(computation, absl::StrCat("expected its ", by_id.size(),
                                                 " instructions, got ", order.size()));
  }
  return order;
}

}  // namespace callbridge::hlo
