// Errors as cross-version handlers see them: host::ErrorObject, since XLA makes and reads errors
// without saying in which call. On its way back to a runtime each becomes one of that runtime's.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_ERROR_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_ERROR_H_

#include "callbridge/adapters/cross_version/runtime.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// An error object for a runtime's own error, which it takes. Its code is UNKNOWN where the runtime
// does not tell, before XLA FFI 0.4; ToRuntime() gives the same runtime the same error back.
XLA_FFI_Error* WrapRuntimeError(XLA_FFI_Error* error, const CrossVersionRuntime& runtime);

// The runtime's error for an error object, which is gone afterwards.
XLA_FFI_Error* ToRuntime(XLA_FFI_Error* error, const CrossVersionRuntime& runtime);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_ERROR_H_
