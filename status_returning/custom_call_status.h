// XlaCustomCallStatus: how a target of version 2 or 3 reports a failure. The names and signatures
// are XLA's. Old binaries import them unmangled, so they are frozen.
//
// C. Uses the standard library only: this header is included in other people's builds.
#ifndef CALLBRIDGE_STATUS_RETURNING_CUSTOM_CALL_STATUS_H_
#define CALLBRIDGE_STATUS_RETURNING_CUSTOM_CALL_STATUS_H_

#include <stddef.h>
// Old sources call strlen() on their messages and include nothing for it.
#include <string.h>  // IWYU pragma: export

#include "callbridge/abi/exported.h"

#ifdef __cplusplus
extern "C" {
#endif

// The status of one call, owned by the caller. Success unless the target sets a failure.
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;

// Marks the call as successful, also after a failure. Ignores a null `status`.
CALLBRIDGE_EXPORTED void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status);

// Marks the call as failed. Copies the message up to `message_len` bytes or its first NUL, as XLA
// does; a null message is empty. Ignores a null `status`.
CALLBRIDGE_EXPORTED void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status,
                                                       const char* message, size_t message_len);

#ifdef __cplusplus
}  // extern "C"

// XLA's documentation writes xla::XlaCustomCallStatus, which XLA itself never had.
namespace xla {
using ::XlaCustomCallStatus;
}  // namespace xla
#endif

#endif  // CALLBRIDGE_STATUS_RETURNING_CUSTOM_CALL_STATUS_H_
