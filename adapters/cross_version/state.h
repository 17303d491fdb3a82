// State of cross-version handlers. The runtime keeps objects of one type of callbridge's, which
// hold the handler's type, object and deleter. So it need not know the handler's type, whose
// deleter comes with each object in some versions and with the type in others.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_STATE_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_STATE_H_

#include "callbridge/adapters/cross_version/context.h"
#include "callbridge/adapters/cross_version/headers.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// `stage` is the stage whose state it is, by c_api.h's numbers.

// Sets the state as XLA_FFI_State_Set does. `deleter` is null if the handler's headers have it with
// the type. Returns null or an error object of outcome.h; the handler keeps the state if it fails.
XLA_FFI_Error* SetCrossVersionState(CrossVersionContext& context, XLA_FFI_ExecutionStage stage,
                                    XLA_FFI_TypeId* type_id, void* state, void (*deleter)(void*));

// Gets the state as XLA_FFI_State_Get does.
XLA_FFI_Error* GetCrossVersionState(CrossVersionContext& context, XLA_FFI_ExecutionStage stage,
                                    XLA_FFI_TypeId type_id, void** state);

// Writes the state type id to report to `runtime` for a handler that reports `type_id`. Returns
// null or the runtime's error.
XLA_FFI_Error* FindStateTypeId(const typed_ffi::RuntimeVersion& headers, XLA_FFI_TypeId type_id,
                               CrossVersionRuntime& runtime, XLA_FFI_TypeId* id);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_STATE_H_
