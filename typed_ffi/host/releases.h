// The rows of kRuntimeVersions by the names that people know: jaxlib's releases.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_RELEASES_H_
#define CALLBRIDGE_TYPED_FFI_HOST_RELEASES_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace host {

using typed_ffi::RuntimeVersion;

// The row of a release of jaxlib: "0.4.30", "0.6.2", "0.12.0.1"; "0.10" is 0.10.0. Empty is the
// newest row. INVALID_ARGUMENT where it is no release number, or one before 0.4.30 or after the
// newest that is known.
absl::StatusOr<const RuntimeVersion*> VersionOfRelease(absl::string_view release);

// The row's number in kRuntimeVersions.
inline int RowOf(const RuntimeVersion& version) {
  return static_cast<int>(&version - typed_ffi::kRuntimeVersions);
}

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_RELEASES_H_
