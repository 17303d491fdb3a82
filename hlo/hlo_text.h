// HLO text, as XLA prints and reads it.
#ifndef CALLBRIDGE_HLO_HLO_TEXT_H_
#define CALLBRIDGE_HLO_HLO_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// `module` must have passed CheckModule(). Names are made such that text can say them: unique, of
// letters, digits, ".", "_" and "-", and no longer than 256 characters. UNIMPLEMENTED names an
// opcode that opcode.h has not, and what else has no text; INVALID_ARGUMENT a schedule that leaves
// out instructions or has them before their operands.
absl::StatusOr<std::string> PrintHloText(const xla::HloModuleProto& module);

// What XLA prints of any such module: operands with or without their shapes, layouts or none (which
// are row-major then), metadata, schedules, literals. Left out is what only people and the
// partitioner read: tables of source lines, donors, frontend attributes of the whole module.
// INVALID_ARGUMENT says line and column, what was expected and what
// came; UNIMPLEMENTED names an opcode or attribute that is not known, with the advice to run the
// module on XLA. The module that is returned has passed CheckModule().
absl::StatusOr<xla::HloModuleProto> ParseHloText(absl::string_view text);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_HLO_TEXT_H_
