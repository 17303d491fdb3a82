// Lower: makes a Graph of a module.
#ifndef CALLBRIDGE_CLIENT_LOWERING_H_
#define CALLBRIDGE_CLIENT_LOWERING_H_

#include "absl/status/statusor.h"
#include "callbridge/client/graph.h"
#include "callbridge/client/target_table.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::client {

// Lowers `module`, which must have passed hlo::CheckModule(), and binds its custom calls. A
// computation is copied for each call of it. Returns UNIMPLEMENTED, which names the instruction, if
// the embedded runtime does not have it, and RESOURCE_EXHAUSTED if the module expands to too many
// steps or is nested too deep.
absl::StatusOr<Graph> Lower(const xla::HloModuleProto& module, const TargetTable& targets);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_LOWERING_H_
