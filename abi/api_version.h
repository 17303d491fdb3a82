// ApiVersion: the calling conventions of XLA custom calls, with XLA's numbers
// (xla.CustomCallApiVersion in hlo.proto).
#ifndef CALLBRIDGE_ABI_API_VERSION_H_
#define CALLBRIDGE_ABI_API_VERSION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

enum class ApiVersion : uint8_t {
  kUnspecified = 0,
  kOriginal = 1,
  kStatusReturning = 2,
  kStatusReturningUnified = 3,
  kTypedFfi = 4,
};

// "unspecified", "original", "status_returning", "status_returning_unified", "typed_ffi". The view
// is to static storage.
absl::string_view ApiVersionName(ApiVersion version);

// Reads a name as ApiVersionName() writes it. INVALID_ARGUMENT lists the names.
absl::StatusOr<ApiVersion> ParseApiVersion(absl::string_view name);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_API_VERSION_H_
