// A typed handler with traits that it does not report itself.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_TRAITS_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_TRAITS_H_

#include "absl/status/statusor.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

// Returns a handler that does what `handler` does, and whose answer to the metadata query has
// `traits` besides the handler's own. It lives as long as the process, and `handler` must. Returns
// the same one each time. Fails as MakeTrampoline() (entry_points/trampolines.h). Thread-safe.
//
// If `recorded` is not null, each call of the execute stage that a CUDA graph captures is checked
// (adapters/recorded_call.h). `recorded` is then the user's own handler, which errors name.
absl::StatusOr<XLA_FFI_Handler*> GetHandlerWithTraits(XLA_FFI_Handler* handler,
                                                      XLA_FFI_Handler_Traits traits,
                                                      XLA_FFI_Handler* recorded = nullptr);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_TRAITS_H_
