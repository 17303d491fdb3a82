// Shapes in HLO text, as messages: everything that XLA's text of a shape can say, also what no
// custom call takes, so that a module's other shapes pass through. abi/shape_text.h reads the
// shapes that custom calls take.
#ifndef CALLBRIDGE_HLO_SHAPE_PROTO_TEXT_H_
#define CALLBRIDGE_HLO_SHAPE_PROTO_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "callbridge/hlo/text_cursor.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace callbridge::hlo {

// Returns true if a shape comes next rather than a name.
bool PeekShape(TextCursor* cursor);

// Reads a shape: arrays with dynamic ("<=8") and unbounded ("?") dimensions, tuples, tokens,
// opaque shapes, buffers ("b(f32[8])"), and layouts with all that may follow their ":". A layout
// must follow its array without a blank. Returns INVALID_ARGUMENT with line and column.
absl::StatusOr<xla::ShapeProto> ReadShape(TextCursor* cursor);

// Returns the shape as XLA prints it, with its layout, "(f32[8,4]{1,0:T(8,128)S(1)}, s32[])".
// Returns UNIMPLEMENTED for an element type that has no name and for fields of a layout that have
// no text.
absl::StatusOr<std::string> ShapeProtoText(const xla::ShapeProto& shape);
// Same, without layouts, as signatures have it.
absl::StatusOr<std::string> ShapeProtoTextWithoutLayouts(const xla::ShapeProto& shape);

// Returns true if the shapes are equal, except for layouts.
bool EqualButForLayouts(const xla::ShapeProto& a, const xla::ShapeProto& b);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_SHAPE_PROTO_TEXT_H_
