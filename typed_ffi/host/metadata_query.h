// The metadata query: a call of a handler by which a runtime learns what the handler was built for.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_METADATA_QUERY_H_
#define CALLBRIDGE_TYPED_FFI_HOST_METADATA_QUERY_H_

#include "absl/status/statusor.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace host {

struct HandlerMetadata {
  int major_version;
  int minor_version;
  XLA_FFI_Handler_Traits traits;
  // Of the state that it makes; unknown where it makes none.
  XLA_FFI_TypeId state_type;
};

// Asks `handler` as a runtime of that row does, with or without an API table. Runtimes before XLA
// FFI 0.1 ask nothing, and take it for one of their own version.
//
// Fails with the handler's error, "Fetching XLA FFI metadata failed: ..."; INVALID_ARGUMENT where
// it was built for a version that such a runtime does not take; INTERNAL where it throws, or writes
// a field that the version does not have.
absl::StatusOr<HandlerMetadata> QueryMetadata(const typed_ffi::RuntimeVersion& version,
                                              XLA_FFI_Handler* handler);

// Asks those handlers of the bundle that such a runtime asks when they are registered. The traits
// of both, the rest is the execute handler's, the state type INSTANTIATE's.
absl::StatusOr<HandlerMetadata> QueryMetadata(const typed_ffi::RuntimeVersion& version,
                                              const XLA_FFI_Handler_Bundle& handlers);

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_METADATA_QUERY_H_
