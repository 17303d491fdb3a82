// The attributes of modules and instructions in HLO text. Only the reader and the printers of
// module texts include this.
#ifndef CALLBRIDGE_HLO_HLO_TEXT_ATTRIBUTES_H_
#define CALLBRIDGE_HLO_HLO_TEXT_ATTRIBUTES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/hlo/hlo_proto.h"
#include "callbridge/hlo/text_cursor.h"

namespace callbridge::hlo {

// ---- The module header (hlo_text_header.cc) -----------------------------------------------------

struct ModuleHeader {
  // Has a name and what the attributes say; a host program shape if there is an
  // entry_computation_layout.
  xla::HloModuleProto module;
  // True if the instructions are in the order in which they run.
  bool is_scheduled = false;
};

// Reads the first line of a module, and the tables of source lines that follow. Unknown attributes
// keep their text.
absl::StatusOr<ModuleHeader> ReadModuleHeader(TextCursor* cursor);

// ---- The attributes of an instruction (hlo_text_attributes.cc) ----------------------------------

// The ids of what has been read so far, by name. The names are views into the text.
struct DefinedIds {
  absl::flat_hash_map<absl::string_view, int64_t> computations;
  absl::flat_hash_map<absl::string_view, int64_t> instructions;  // of this computation
};

// Reads ", name=value" any number of times into `instruction`. An attribute that no field expresses
// keeps its text, in `text_attributes`.
absl::Status ReadInstructionAttributes(const DefinedIds& defined, TextCursor* cursor,
                                       xla::HloInstructionProto* instruction);

// Reads "{0,1}", an index into a tuple.
absl::StatusOr<std::vector<int64_t>> ReadShapeIndex(TextCursor* cursor);

// Reads the value of the attribute `name` as text.
absl::Status ReadTextAttribute(absl::string_view name, TextCursor* cursor,
                               xla::TextAttribute* attribute);

// Reads "{op_name="n" source_line=3}". Returns UNIMPLEMENTED for names that OpMetadata has no field
// for.
absl::Status ReadMetadata(TextCursor* cursor, xla::OpMetadata* metadata);
// Returns what is in the braces of metadata, or "" if there is nothing.
std::string MetadataText(const xla::OpMetadata& metadata);

// Reads "{a="b",c={"d": 1}}".
absl::Status ReadFrontendAttributes(TextCursor* cursor, xla::FrontendAttributes* attributes);

// Returns the shape with a row-major layout on each array that has no layout, as XLA reads text.
xla::ShapeProto WithLayouts(xla::ShapeProto shape);

// ---- Windows, dimension labels and shardings (convolution_and_sharding_text.cc) -----------------
//
// Custom calls carry them for XLA. callbridge does not interpret them.

// Returns "{size=3x3 stride=2x2 pad=0_0x1_1 lhs_dilate=2x1 rhs_dilate=1x2 rhs_reversal=1x0}". Omits
// a field if all dimensions have its default value.
std::string WindowText(const xla::Window& window);
// Reads what WindowText() returns.
absl::StatusOr<xla::Window> ReadWindow(TextCursor* cursor);

// Returns "b01f_01io->b01f", with "?" for a dimension before the last that has no label. Returns
// INVALID_ARGUMENT unless the dimensions are less than 64, occur once, and at most ten of them are
// spatial.
absl::StatusOr<std::string> DimLabelsText(const xla::ConvolutionDimensionNumbers& numbers);
// Reads what DimLabelsText() returns. Returns UNIMPLEMENTED for dimensions without a label, since
// the message does not have their number.
absl::StatusOr<xla::ConvolutionDimensionNumbers> ReadDimLabels(TextCursor* cursor);

// Returns "{replicated}", "{devices=[2,1]0,1}", "{{maximal device=0}, {manual}}",
// "{devices=[2,2]<=[4] last_tile_dims={manual}}". Returns UNIMPLEMENTED for shardings that
// `OpSharding` has no fields for.
absl::StatusOr<std::string> ShardingText(const xla::OpSharding& sharding);
// Reads what ShardingText() returns. Returns UNIMPLEMENTED for other kinds of shardings.
absl::StatusOr<xla::OpSharding> ReadSharding(TextCursor* cursor);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_HLO_TEXT_ATTRIBUTES_H_
