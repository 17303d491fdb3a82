// HLO modules: reads them from files, and reads and prints them as HLO text.
#ifndef CALLBRIDGE_HLO_HLO_TEXT_H_
#define CALLBRIDGE_HLO_HLO_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// Returns the module in `bytes`: a serialized HloModuleProto, a serialized HloProto, or HLO text.
// The module has passed CheckModule(). Returns INVALID_ARGUMENT with the error of each reader if
// `bytes` is none of them.
absl::StatusOr<xla::HloModuleProto> ReadModule(absl::string_view bytes);

// Parses HLO text as XLA prints it: operands with or without shapes, shapes with or without layouts
// (the default is row-major), metadata, schedules, literals. Skips the tables of source lines,
// buffer donors and the frontend attributes of the module. The module has passed CheckModule().
// Returns INVALID_ARGUMENT with line, column, what was expected and what was found. Returns
// UNIMPLEMENTED for an unknown opcode or attribute.
absl::StatusOr<xla::HloModuleProto> ParseHloText(absl::string_view text);

// Returns the module as HLO text. `module` must have passed CheckModule(). Makes all names unique,
// of letters, digits, ".", "_" and "-", and at most 256 characters long. Returns UNIMPLEMENTED for
// an opcode that opcode.h does not list and for attributes that have no text. Returns
// INVALID_ARGUMENT for a schedule that omits instructions or has one before its operands.
absl::StatusOr<std::string> PrintHloText(const xla::HloModuleProto& module);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_HLO_TEXT_H_
