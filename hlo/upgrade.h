// Untyped custom calls become typed ones, for runtimes that call untyped targets no more.
#ifndef CALLBRIDGE_HLO_UPGRADE_H_
#define CALLBRIDGE_HLO_UPGRADE_H_

#include "absl/status/statusor.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// `module`, in which every custom call of the api versions 0 (which is 1) to 3 is one of version 4
// of the same name: its operands and results are the leaves of what they were, which
// get-tuple-element and tuple instructions around it take apart and put together. Opaque and tuple
// trees are in the attribute "callbridge_site" (abi/site_descriptor.h), where the call has an
// opaque, or the leaves alone do not say what the target is handed; the tuple layout is nested. An
// opaque that is a site descriptor already, as callbridge makes them for version 3, becomes the
// attribute. Aliases follow their leaves, and the schedule its instructions.
//
// Calls that did not constrain their layouts have them constrained to row-major ones, with which
// the embedded runtime calls such targets: XLA would be free to choose others.
//
// Calls of version 4, what XLA itself puts into the form of a call (xla_own_calls.h), and all else,
// unknown fields too, stay as they are. It runs where the targets are registered as typed entry
// points of callbridge's. `module` must have passed CheckModule(), and the result has.
// RESOURCE_EXHAUSTED where large tuples that many calls take would make a module of a million
// operands.
absl::StatusOr<xla::HloModuleProto> Upgrade(const xla::HloModuleProto& module);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_UPGRADE_H_
