// Standard output, where what cannot be written is an error.
#ifndef CALLBRIDGE_TOOLS_STANDARD_OUTPUT_H_
#define CALLBRIDGE_TOOLS_STANDARD_OUTPUT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace callbridge {

absl::Status PrintToStandardOutput(absl::string_view text);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_STANDARD_OUTPUT_H_
