// What cross-version handlers return: host::ErrorObject and host::FutureObject, since XLA makes and
// reads errors, and makes futures, without a context. When the handler returns, its error is
// converted to the runtime's, and a future that is not done becomes one of the runtime's.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_OUTCOME_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_OUTCOME_H_

#include "callbridge/adapters/cross_version/context.h"
#include "callbridge/adapters/cross_version/runtime.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Takes ownership of a runtime's error and returns an error object for it, for which ToRuntime()
// returns the same error to the same runtime. Its code is UNKNOWN for runtimes that do not tell,
// before XLA FFI 0.4.
XLA_FFI_Error* WrapRuntimeError(XLA_FFI_Error* error, const CrossVersionRuntime& runtime);

// Takes ownership of an error object and returns the runtime's error for it.
XLA_FFI_Error* ToRuntime(XLA_FFI_Error* error, const CrossVersionRuntime& runtime);

// Takes the future of a handler that has returned it. If it is done, returns its result: null, or
// the runtime's error. Otherwise sets `frame.future` to a future of the runtime, to be completed
// with it, and returns null; the context is released then, and no longer has the runtime's until
// then. On a runtime without futures it waits.
XLA_FFI_Error* HandOverFuture(XLA_FFI_Future* future, CrossVersionContext& context,
                              XLA_FFI_CallFrame& frame);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_OUTCOME_H_
