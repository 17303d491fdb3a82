// State of cross-version handlers. A runtime keeps objects of one type of ours, which hold the
// handler's own: its type, the object and how it is deleted. So a runtime needs to know nothing of
// the handler's type, whose deleter comes with each object in some versions and with the type in
// others.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_STATE_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_STATE_H_

#include "callbridge/adapters/cross_version/context.h"
#include "callbridge/adapters/cross_version/headers.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// `stage` is the one whose state it is, in the numbers of c_api.h.

// As XLA_FFI_State_Set. `deleter` is null where the handler's headers have it with the type. What
// is returned is an error object of error.h. The state stays the handler's where it fails.
XLA_FFI_Error* SetCrossVersionState(CrossVersionContext& context, XLA_FFI_ExecutionStage stage,
                                    XLA_FFI_TypeId* type_id, void* state, void (*deleter)(void*));

// As XLA_FFI_State_Get.
XLA_FFI_Error* GetCrossVersionState(CrossVersionContext& context, XLA_FFI_ExecutionStage stage,
                                    XLA_FFI_TypeId type_id, void** state);

// What a handler that says to make state of type `type_id` says to `runtime`: written to `id`.
// Null, or the runtime's error.
XLA_FFI_Error* FindStateTypeId(const typed_ffi::RuntimeVersion& headers, XLA_FFI_TypeId type_id,
                               CrossVersionRuntime& runtime, XLA_FFI_TypeId* id);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_STATE_H_
