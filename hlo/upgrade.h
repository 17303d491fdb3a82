// Turns untyped custom calls into typed ones, for runtimes that no longer call untyped targets.
#ifndef CALLBRIDGE_HLO_UPGRADE_H_
#define CALLBRIDGE_HLO_UPGRADE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// An untyped custom call that Upgrade() leaves as it is.
struct CallLeftAlone {
  std::string instruction;  // its name
  std::string target;
  std::string reason;  // "its operand 0 is an array with dynamic dimensions, ..."
};

// Returns `module` with every custom call of API versions 0 (same as 1) to 3 turned into one of
// version 4 to the same target. The result runs where callbridge has registered the targets as
// typed entry points. `module` must have passed CheckModule(); the result has passed it too.
//
// clang-format off
// - Operands and results become their leaves. get-tuple-element and tuple instructions around the call
//   convert from and to tuples.
// - Opaque and tuple shapes go into the attribute "callbridge_site" (abi/site_descriptor.h) if the call
//   has an opaque, or if its leaves do not determine the arguments of the target. The tuple layout is
//   nested. An opaque that is a site descriptor, as callbridge writes for version 3, becomes the
//   attribute.
// - Calls without layout constraints get row-major ones, as the embedded runtime calls such targets.
//   XLA may choose any layout otherwise.
// - Aliases refer to leaves. The schedule has the new instructions.
// - Calls of version 4, calls to XLA's internal targets (xla_internal_calls.inc), all other
//   instructions, and unknown fields stay unchanged.
// clang-format on
//
// Leaves calls alone that typed targets cannot serve: with operands or a result of shapes that no
// custom call takes, and those of async-start with tuples, which XLA lets no other instruction
// surround. Appends them to `left_alone`, if it is not null.
//
// Returns RESOURCE_EXHAUSTED if the calls would have more than about a million operands in all.
absl::StatusOr<xla::HloModuleProto> Upgrade(const xla::HloModuleProto& module,
                                            std::vector<CallLeftAlone>* left_alone = nullptr);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_UPGRADE_H_
