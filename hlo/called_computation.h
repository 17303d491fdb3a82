// Copies of computations under new numbers, for modules that call them.
#ifndef CALLBRIDGE_HLO_CALLED_COMPUTATION_H_
#define CALLBRIDGE_HLO_CALLED_COMPUTATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// "add.7", as XLA's builder names an instruction or computation with the id 7.
std::string NumberedName(absl::string_view base, int64_t id);

struct CalledComputation {
  // Those of the module.
  std::vector<xla::HloComputationProto> computations;
  int64_t entry_id;
};

// Computations and instructions get the ids behind *last_id, which is set to the last of them, in
// the order in which they stand. INVALID_ARGUMENT where the module refers to an id that it has not.
absl::StatusOr<CalledComputation> CopyForCall(const xla::HloModuleProto& module, int64_t* last_id);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_CALLED_COMPUTATION_H_
