// The exit status of the command, and the line that it prints on stderr on failure.
#ifndef CALLBRIDGE_TOOLS_EXIT_STATUS_H_
#define CALLBRIDGE_TOOLS_EXIT_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace callbridge {

enum ExitStatus : int {
  kSuccess = 0,
  kFailure = 1,     // the call or conversion failed
  kUsageError = 2,  // the command line is invalid; nothing was done
};

// Prints "callbridge: INTERNAL: CustomCall failed: ..." and returns kFailure.
ExitStatus Failure(const absl::Status& status);
// Prints "callbridge: " and the message, and returns kUsageError.
ExitStatus UsageError(absl::string_view message);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_EXIT_STATUS_H_
