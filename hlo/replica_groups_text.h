// The text of replica_groups: which devices a collective connects. XLA has three forms, each with a
// field of its own (its third since jaxlib 0.10):
//   {{0,1},{2,3}}   each group's devices
//   [2,2]<=[2,2]T(1,0)   an iota that is reshaped and transposed
//   mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'y'}   axes, or parts of axes, of a mesh
#ifndef CALLBRIDGE_HLO_REPLICA_GROUPS_TEXT_H_
#define CALLBRIDGE_HLO_REPLICA_GROUPS_TEXT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {

// Reads any of the forms into its field of `instruction`.
absl::Status ReadReplicaGroups(TextCursor* cursor, xla::HloInstructionProto* instruction);

// Returns "{}" for a collective of all devices. Returns INVALID_ARGUMENT if an axis is not one of
// its mesh.
absl::StatusOr<std::string> ReplicaGroupsText(const xla::HloInstructionProto& instruction);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_REPLICA_GROUPS_TEXT_H_
