// XlaCustomCallStatus: how a version-2 or version-3 target reports failure. The names and
// signatures are XLA's, and old binaries import them unmangled, so they are frozen.
//
// C; standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_STATUS_RETURNING_CUSTOM_CALL_STATUS_H_
#define CALLBRIDGE_STATUS_RETURNING_CUSTOM_CALL_STATUS_H_

#include <stddef.h>
// Old sources call strlen on their messages and include nothing for it.
#include <string.h>  // IWYU pragma: export

#include "callbridge/abi/exported.h"

#ifdef __cplusplus
extern "C" {
#endif

// The status of one call, owned by the caller. It is success unless the target sets a failure.
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;

// Marks the call as successful, also after a failure. A null `status` is ignored.
CALLBRIDGE_EXPORTED void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus* status);

// Marks the call as failed. The message is copied up to `message_len` bytes, or up to its first NUL
// if that comes earlier, as XLA does; null is an empty one. A null `status` is ignored.
CALLBRIDGE_EXPORTED void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status,
                                                       const char* message, size_t message_len);

#ifdef __cplusplus
}  // extern "C"

// XLA's documentation of custom calls says this for the type of the global namespace; XLA never had
// it.
namespace xla {
using ::XlaCustomCallStatus;
}  // namespace xla
#endif

#endif  // CALLBRIDGE_STATUS_RETURNING_CUSTOM_CALL_STATUS_H_
