// How attributes of typed calls are said on the command line, as MLIR writes them:
//
//   n=3:i32          an integer: i8, i16, i32, i64, ui8, ui16, ui32, ui64
//   x=1.5:f32        a floating-point number: f32, f64
//   deep=true        a bool
//   name="text"      a string; between the quotes every character stands for itself
#ifndef CALLBRIDGE_TOOLS_ATTRIBUTE_H_
#define CALLBRIDGE_TOOLS_ATTRIBUTE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/attributes.h"

namespace callbridge {

// Sets the attribute that `text` says. INVALID_ARGUMENT says what was expected.
absl::Status ParseAttribute(absl::string_view text, Attributes* attributes);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_ATTRIBUTE_H_
