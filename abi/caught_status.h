// The status of an exception that must not leave a C function.
#ifndef CALLBRIDGE_ABI_CAUGHT_STATUS_H_
#define CALLBRIDGE_ABI_CAUGHT_STATUS_H_

#include "absl/status/status.h"

namespace callbridge {

// Of the exception that is being handled; call it in a catch (...) block. RESOURCE_EXHAUSTED, with
// no message, for std::bad_alloc, without allocating; INTERNAL for any other, "threw <type>:
// <what()>". Rethrows a thread's cancellation, which must not be swallowed.
absl::Status CaughtStatus();

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_CAUGHT_STATUS_H_
