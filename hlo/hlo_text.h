// HLO modules: reads them from files, and reads and prints them as HLO text.
#ifndef CALLBRIDGE_HLO_HLO_TEXT_H_
#define CALLBRIDGE_HLO_HLO_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/hlo/hlo_proto.h"

namespace callbridge::hlo {

// Any module passes through: callbridge understands what concerns custom calls and what its own
// executor runs, and keeps the rest. In a message, what hlo.proto does not know stays as unknown
// fields. In text, an instruction is a name, a shape, an opcode, operands and attributes; an
// attribute that no field expresses keeps its text (`text_attributes`).

// Returns the module in `bytes`: a serialized HloModuleProto, HloProto, HloModuleProtoWithConfig or
// HloSnapshot, or HLO text. The module has passed CheckModule(). Returns INVALID_ARGUMENT with the
// error of each reader if `bytes` is none of them.
absl::StatusOr<xla::HloModuleProto> ReadModule(absl::string_view bytes);

// Parses HLO text as XLA prints it: operands with or without shapes, shapes with or without layouts
// (the default is row-major), metadata, schedules, literals. The module has passed CheckModule().
// Returns INVALID_ARGUMENT with line, column, what was expected and what was found.
absl::StatusOr<xla::HloModuleProto> ParseHloText(absl::string_view text);

// Returns the module as XLA prints it. `module` must have passed CheckModule(). Makes all names
// unique, of letters, digits, ".", "_" and "-", and at most 256 characters long. Fields of an
// instruction that have no text are named in a comment after it. Returns UNIMPLEMENTED for opcodes,
// element types and other values that have no text. Returns INVALID_ARGUMENT for a schedule that
// omits instructions or has one before its operands.
absl::StatusOr<std::string> PrintHloText(const xla::HloModuleProto& module);

// Returns the module as a serialized HloModuleProto. Returns UNIMPLEMENTED with the attribute if
// the module was read from a text that has attributes without a field, and RESOURCE_EXHAUSTED if it
// is larger than protobuf writes.
absl::StatusOr<std::string> SerializeModule(const xla::HloModuleProto& module);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_HLO_TEXT_H_
