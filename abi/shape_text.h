// The text form of shapes, as XLA's ShapeUtil::HumanString writes it: `f32[8,4]{0,1}`, `pred[]`,
// `token[]`, `(f32[32],(f32[64],f32[128]),f32[256])`, `()`.
#ifndef CALLBRIDGE_ABI_SHAPE_TEXT_H_
#define CALLBRIDGE_ABI_SHAPE_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/shape.h"

namespace callbridge {

// Layouts are written where they were given; tuple elements are separated by "," without a space.
// ParseShape(ShapeText(s)) == s for every shape.
std::string ShapeText(const Shape& shape);

// Reads one shape. White space between tokens is ignored, and so are the comments that XLA writes
// into long tuples (`/*index=5*/`); a trailing comma is not. Of a layout's details only the element
// size is supported, `{1,0:E(4)}`; tiles, memory spaces and dynamic dimensions are refused.
// INVALID_ARGUMENT says what was expected and at which character, counted from 1.
absl::StatusOr<Shape> ParseShape(absl::string_view text);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_SHAPE_TEXT_H_
