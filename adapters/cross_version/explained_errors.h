// A typed handler whose errors say more than it does itself.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_EXPLAINED_ERRORS_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_EXPLAINED_ERRORS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Returns a handler that does what `handler` does, of whatever headers it is, and adds "; " and
// `explanation` to the message of each error that it makes while it is called. It lives as long as
// the process, and `handler` must. Returns the same one each time. Fails as MakeTrampoline()
// (entry_points/trampolines.h). Thread-safe.
//
// The handler gets the runtime's frame with a copy of the runtime's API table, in which only
// XLA_FFI_Error_Create is another, and which lives as long as the process.
absl::StatusOr<XLA_FFI_Handler*> GetHandlerWithExplainedErrors(XLA_FFI_Handler* handler,
                                                               absl::string_view explanation);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_EXPLAINED_ERRORS_H_
