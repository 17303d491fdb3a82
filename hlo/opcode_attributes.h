// The attributes of instructions that callbridge neither runs nor changes: which text stands for
// which field. One table says it for reading and for printing.
#ifndef CALLBRIDGE_HLO_OPCODE_ATTRIBUTES_H_
#define CALLBRIDGE_HLO_OPCODE_ATTRIBUTES_H_

#include <cstdint>
#include <set>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {

// Reads the value of the attribute `name` into the fields of `instruction`, whose opcode is set.
// Returns false, and reads nothing, if no field of this opcode stands for the attribute, or if the
// value has another form than the field can express. Returns INVALID_ARGUMENT for the name of a
// computation that `computations` does not have.
absl::StatusOr<bool> ReadOpcodeAttribute(
    absl::string_view name, const absl::flat_hash_map<absl::string_view, int64_t>& computations,
    TextCursor* cursor, xla::HloInstructionProto* instruction);

// Appends ", name=value" for each attribute of the instruction's opcode that its fields express,
// in XLA's order. Adds the numbers of these fields to `printed`. `first_operand` is the shape of
// the first operand, on which the names of a conditional's branches depend; null if there is none.
absl::Status AppendOpcodeAttributes(const xla::HloInstructionProto& instruction,
                                    const xla::ShapeProto* first_operand,
                                    absl::FunctionRef<std::string(int64_t)> computation_name,
                                    std::string* text, std::set<int>* printed);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_OPCODE_ATTRIBUTES_H_
