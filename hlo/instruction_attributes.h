// What stands behind an instruction's operands in HLO text: ", name=value" any number of times.
#ifndef CALLBRIDGE_HLO_INSTRUCTION_ATTRIBUTES_H_
#define CALLBRIDGE_HLO_INSTRUCTION_ATTRIBUTES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {

// What has been defined further up, by name. The names are views into the text.
struct DefinedIds {
  absl::flat_hash_map<absl::string_view, int64_t> computations;
  absl::flat_hash_map<absl::string_view, int64_t> instructions;  // of this computation
};

// Reads them into `instruction`. UNIMPLEMENTED for an attribute that is not known. Metadata beyond
// the fields of OpMetadata is for people, and left out.
absl::Status ReadInstructionAttributes(const DefinedIds& defined, TextCursor* cursor,
                                       xla::HloInstructionProto* instruction);

// "{0,1}", an index into a tuple.
absl::StatusOr<std::vector<int64_t>> ReadShapeIndex(TextCursor* cursor);

absl::Status UnknownAttribute(absl::string_view name, size_t position, const TextCursor& cursor);

// A shape as XLA has it where it was given no layouts: they are row-major.
xla::ShapeProto WithLayouts(const Shape& shape);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_INSTRUCTION_ATTRIBUTES_H_
