// Parses attributes of typed calls on the command line, in MLIR's syntax:
//
// clang-format off
//   n=3:i32          an integer: i8, i16, i32, i64, ui8, ui16, ui32, ui64
//   x=1.5:f32        a floating-point number: f32, f64
//   deep=true        a bool
//   name="text"      a string; no escapes: every character between the quotes is literal
//   n=array<i64: 1, 2>                     an array of numbers of one of these types; array<i64> is empty
//   n=[array<f32: 1.5>, array<f32: 2, 3>]  a dictionary of arrays by the names 0, 1 and so on, which an AOT operator of
//                                          MindSpore takes for a vector of vectors
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
