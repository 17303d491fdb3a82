// What the command's programs say: on standard output, by a line on standard error, and by the exit
// status.
#ifndef CALLBRIDGE_TOOLS_STANDARD_FILES_H_
#define CALLBRIDGE_TOOLS_STANDARD_FILES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// Call before any file is opened. Opens the descriptors 0 to 2 if they are closed, so that no file
// that the program opens gets them; reading or writing them fails.
void OccupyStandardDescriptors();

// Prints to standard output. Errors name standard output and the reason.
absl::Status PrintToStandardOutput(absl::string_view text);

enum ExitStatus : int {
  kSuccess = 0,
  kFailure = 1,     // the call or conversion failed
  kUsageError = 2,  // the command line is invalid; nothing was done
};

// Prints "callbridge: INTERNAL: CustomCall failed: ..." and returns kFailure.
ExitStatus Failure(const absl::Status& status);
// Same as Failure(), but prints a message of several lines, such as a compiler's, as lines,
// indented after the first.
ExitStatus FailureInLines(const absl::Status& status);
// Prints "callbridge: " and the message, and returns kUsageError.
ExitStatus UsageError(absl::string_view message);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_STANDARD_FILES_H_
