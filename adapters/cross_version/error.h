// Errors of cross-version handlers: host::ErrorObject, since XLA makes and reads errors without a
// context. They are converted to the runtime's when the handler returns.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_ERROR_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_ERROR_H_

#include "callbridge/adapters/cross_version/runtime.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Takes ownership of a runtime's error and returns an error object for it, for which ToRuntime()
// returns the same error to the same runtime. Its code is UNKNOWN for runtimes that do not tell,
// before XLA FFI 0.4.
XLA_FFI_Error* WrapRuntimeError(XLA_FFI_Error* error, const CrossVersionRuntime& runtime);

// Takes ownership of an error object and returns the runtime's error for it.
XLA_FFI_Error* ToRuntime(XLA_FFI_Error* error, const CrossVersionRuntime& runtime);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_ERROR_H_
