// CallHandler: all calls of handlers go through it.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_CALL_HANDLER_H_
#define CALLBRIDGE_TYPED_FFI_HOST_CALL_HANDLER_H_

#include "absl/status/status.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace host {

// Calls `handler` with a complete frame. Returns the handler's error, or INTERNAL with the type and
// what() of an exception that it throws; a thread's cancellation passes through. The caller owns
// the future that the frame then has. If the handler fails, abandons its future and removes it from
// the frame.
absl::Status CallHandler(XLA_FFI_Handler* handler, XLA_FFI_CallFrame& frame);

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_CALL_HANDLER_H_
