// Parses attributes of typed calls on the command line, in MLIR's syntax:
//
// clang-format off
//   n=3:i32          an integer: i8, i16, i32, i64, ui8, ui16, ui32, ui64
//   x=1.5:f32        a floating-point number: f32, f64
//   deep=true        a bool
//   name="text"      a string; no escapes: every character between the quotes is literal
// clang-format on
#ifndef CALLBRIDGE_TOOLS_ATTRIBUTE_H_
#define CALLBRIDGE_TOOLS_ATTRIBUTE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/attributes.h"

namespace callbridge {

// Adds the attribute to `attributes`. Returns INVALID_ARGUMENT, which says what was expected, if
// `text` is malformed.
absl::Status ParseAttribute(absl::string_view text, Attributes* attributes);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_ATTRIBUTE_H_
