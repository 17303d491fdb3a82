// Prints to standard output and reports write errors.
#ifndef CALLBRIDGE_TOOLS_STANDARD_OUTPUT_H_
#define CALLBRIDGE_TOOLS_STANDARD_OUTPUT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// Errors name standard output and the reason.
absl::Status PrintToStandardOutput(absl::string_view text);

// Call before any file is opened. Opens the descriptors 0 to 2 if they are closed, so that no file
// that the program opens gets them; reading or writing them fails.
void OccupyStandardDescriptors();

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_STANDARD_OUTPUT_H_
