// The metadata query: a call by which a runtime asks a handler which version it was built for.
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
  // The type of the state that the handler makes; unknown if it makes none.
  XLA_FFI_TypeId state_type;
};

// Queries `handler` as a runtime of that row does, with or without an API table. Runtimes before
// XLA FFI 0.1 have no query, and take every handler for one of their own version.
//
// Returns the handler's error as "Fetching XLA FFI metadata failed: ...", INVALID_ARGUMENT if such
// a runtime does not accept the handler's version, and INTERNAL if the handler throws or writes a
// field that the version does not have.
absl::StatusOr<HandlerMetadata> QueryMetadata(const typed_ffi::RuntimeVersion& version,
                                              XLA_FFI_Handler* handler);

// Queries the handlers of the bundle that such a runtime queries at registration. Returns the
// traits of both, the state type of the INSTANTIATE handler, and the rest of the execute handler's
// metadata.
absl::StatusOr<HandlerMetadata> QueryMetadata(const typed_ffi::RuntimeVersion& version,
                                              const XLA_FFI_Handler_Bundle& handlers);

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_METADATA_QUERY_H_
