// Futures of cross-version handlers: host::FutureObject, since XLA makes them without a context. A
// future that is not done when its handler returns becomes one of the runtime's.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_FUTURE_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_FUTURE_H_

#include "callbridge/adapters/cross_version/context.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Takes the future of a handler that has returned it. If it is done, returns its result: null, or
// the runtime's error. Otherwise sets `frame.future` to a future of the runtime, to be completed
// with it, and returns null; the context is released then, and no longer has the runtime's until
// then. On a runtime without futures it waits.
XLA_FFI_Error* HandOverFuture(XLA_FFI_Future* future, CrossVersionContext& context,
                              XLA_FFI_CallFrame& frame);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_FUTURE_H_
