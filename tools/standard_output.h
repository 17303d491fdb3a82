// Standard output, where what cannot be written is an error.
#ifndef CALLBRIDGE_TOOLS_STANDARD_OUTPUT_H_
#define CALLBRIDGE_TOOLS_STANDARD_OUTPUT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// Errors name standard output and the reason.
absl::Status PrintToStandardOutput(absl::string_view text);

// Must be called before any file is opened. Takes the numbers 0 to 2 where they are closed, so that
// no file gets them which the program opens: reading or writing there fails.
void OccupyStandardDescriptors();

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_STANDARD_OUTPUT_H_
