// Lower: a module becomes a Graph.
#ifndef CALLBRIDGE_CLIENT_LOWERING_H_
#define CALLBRIDGE_CLIENT_LOWERING_H_

#include "absl/status/statusor.h"
#include "callbridge/client/graph.h"
#include "callbridge/client/target_table.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::client {

// `module` must have passed hlo::CheckModule(). Binds its custom calls; a computation that is
// called is there once for each call. UNIMPLEMENTED names an instruction that the embedded runtime
// does not have; RESOURCE_EXHAUSTED is for modules that become too many steps, or are nested too
// deep.
absl::StatusOr<Graph> Lower(const xla::HloModuleProto& module, const TargetTable& targets);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_LOWERING_H_
