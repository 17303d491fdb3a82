// The statuses of failures: what a target reports, and exceptions.
#ifndef CALLBRIDGE_ABI_FAILURE_STATUS_H_
#define CALLBRIDGE_ABI_FAILURE_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/caught_exception.h"

namespace callbridge {

// Returns the error that XLA makes of a failure that a target reports: INTERNAL, "CustomCall
// failed: <message>".
absl::Status CustomCallFailed(absl::string_view message);

// Returns the message of `status` without the words that CustomCallFailed() begins with, for
// runtimes that add them. Refers to `status`.
absl::string_view MessageForCustomCallFailed(const absl::Status& status);

// Returns INTERNAL, "CustomCall failed: the target threw <type>: <what()>", for the exception that
// is being handled. Call it in a catch (...) block. A thread's end, which must not be swallowed, is
// rethrown or ends the process, as `thread_end` says. Runtimes call targets from code without
// exceptions, where a throw ends the process; here it becomes an error.
absl::Status CaughtException(ThreadEnd thread_end = ThreadEnd::kGoesOn);

// Returns the status of the exception that is being handled, for C functions, which must not throw;
// call it in a catch (...) block. Returns RESOURCE_EXHAUSTED without a message, and without
// allocating, for std::bad_alloc. Returns INTERNAL, "threw <type>: <what()>", for any other
// exception. A thread's end, which must not be swallowed, is rethrown or ends the process, as
// `thread_end` says.
absl::Status CaughtStatus(ThreadEnd thread_end = ThreadEnd::kGoesOn);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_FAILURE_STATUS_H_
