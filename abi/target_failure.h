// The errors that a target causes: what it reports, and what it throws.
#ifndef CALLBRIDGE_ABI_TARGET_FAILURE_H_
#define CALLBRIDGE_ABI_TARGET_FAILURE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// What XLA makes of a failure that a target set: INTERNAL, "CustomCall failed: <message>".
absl::Status CustomCallFailed(absl::string_view message);

// INTERNAL, "CustomCall failed: the target threw <type>: <what()>", for the exception that is being
// handled. Call it in a catch (...) block. Rethrows a thread's cancellation, which must not be
// swallowed. Old targets were called from code without exceptions, so theirs are bugs; here they
// end as errors and not as a terminated process.
absl::Status CaughtException();

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_TARGET_FAILURE_H_
