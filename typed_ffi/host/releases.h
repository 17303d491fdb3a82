// Finds the row of kRuntimeVersions for a release of jaxlib.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_RELEASES_H_
#define CALLBRIDGE_TYPED_FFI_HOST_RELEASES_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace host {

using typed_ffi::RuntimeVersion;

// Returns the row of a release of jaxlib: "0.4.30", "0.6.2", "0.12.0.1"; "0.10" is 0.10.0. Returns
// the newest row for "". Returns INVALID_ARGUMENT for text that is no release number, and for
// releases before the oldest row or after the newest.
absl::StatusOr<const RuntimeVersion*> VersionOfRelease(absl::string_view release);

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_RELEASES_H_
