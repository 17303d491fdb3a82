// Futures of cross-version handlers: host::FutureObject, since XLA makes them without saying in
// which call. Only one that is unfinished when its handler returns becomes a future of the
// runtime's.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_FUTURE_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_FUTURE_H_

#include "callbridge/adapters/cross_version/context.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// What the runtime is told of a handler that returned `future`, which is taken: its error where it
// is finished; else `frame.future` is set to one of the runtime's, to be completed when `future`
// is. Then the call's context is given back; until then it no longer leads to the runtime's. A
// runtime without futures waits here.
XLA_FFI_Error* HandOverFuture(XLA_FFI_Future* future, CrossVersionContext& context,
                              XLA_FFI_CallFrame& frame);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_FUTURE_H_
