// Converts an exception into a status, for C functions, which must not throw.
#ifndef CALLBRIDGE_ABI_CAUGHT_STATUS_H_
#define CALLBRIDGE_ABI_CAUGHT_STATUS_H_

#include "absl/status/status.h"
#include "callbridge/abi/caught_exception.h"

namespace callbridge {

// Returns the status of the exception that is being handled; call it in a catch (...) block.
// Returns RESOURCE_EXHAUSTED without a message, and without allocating, for std::bad_alloc. Returns
// INTERNAL, "threw <type>: <what()>", for any other exception. A thread's end, which must not be
// swallowed, is rethrown or ends the process, as `thread_end` says.
absl::Status CaughtStatus(ThreadEnd thread_end = ThreadEnd::kGoesOn);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_CAUGHT_STATUS_H_
