// The one place from which handlers are called.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_CALL_HANDLER_H_
#define CALLBRIDGE_TYPED_FFI_HOST_CALL_HANDLER_H_

#include "absl/status/status.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace host {

// Calls `handler` with a frame that is complete. Its error as it is, and INTERNAL with the type and
// what() where it throws; a thread's cancellation passes. A future, which the frame then has, is
// the caller's; with an error it has been abandoned, and the frame has none.
absl::Status CallHandler(XLA_FFI_Handler* handler, XLA_FFI_CallFrame& frame);

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_CALL_HANDLER_H_
