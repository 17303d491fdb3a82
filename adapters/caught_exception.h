// What becomes of an exception that a target throws. Old targets were called from code without
// exceptions, so theirs are bugs; here they end as errors and not as a terminated process.
#ifndef CALLBRIDGE_ADAPTERS_CAUGHT_EXCEPTION_H_
#define CALLBRIDGE_ADAPTERS_CAUGHT_EXCEPTION_H_

#include "absl/status/status.h"

namespace callbridge {

// INTERNAL, "CustomCall failed: the target threw <type>: <what()>", for the exception that is being
// handled. To be called in a catch (...) block. Rethrows a thread's cancellation, which must not be
// swallowed.
absl::Status CaughtException();

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CAUGHT_EXCEPTION_H_
