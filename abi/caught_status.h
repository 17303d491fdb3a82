// Converts an exception into a status, for C functions, which must not throw.
#ifndef CALLBRIDGE_ABI_CAUGHT_STATUS_H_
#define CALLBRIDGE_ABI_CAUGHT_STATUS_H_

#include "absl/status/status.h"

namespace callbridge {

// Returns the status of the exception that is being handled; call it in a catch (...) block.
// Returns RESOURCE_EXHAUSTED without a message, and without allocating, for std::bad_alloc. Returns
// INTERNAL, "threw <type>: <what()>", for any other exception. Rethrows a thread's cancellation,
// which must not be swallowed.
absl::Status CaughtStatus();

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_CAUGHT_STATUS_H_
