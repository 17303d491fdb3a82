// Reads and writes shapes as text, in the form of XLA's ShapeUtil::HumanString: `f32[8,4]{0,1}`,
// `pred[]`, `token[]`, `(f32[32],(f32[64],f32[128]),f32[256])`, `()`.
#ifndef CALLBRIDGE_ABI_SHAPE_TEXT_H_
#define CALLBRIDGE_ABI_SHAPE_TEXT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/shape.h"

namespace callbridge {

// Writes layouts that were given; separates tuple elements by "," without a space.
// ParseShape(ShapeText(s)) == s for every shape.
std::string ShapeText(const Shape& shape);

// Reads one shape. Ignores white space between tokens and the comments that XLA writes into long
// tuples (`/*index=5*/`). Refuses a trailing comma, tiles, memory spaces and dynamic dimensions; of
// a layout's details it reads only the element size, `{1,0:E(4)}`. Returns INVALID_ARGUMENT, which
// says what was expected at which character, counted from 1.
absl::StatusOr<Shape> ParseShape(absl::string_view text);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_SHAPE_TEXT_H_
