// The table of ABIs: finds rows (abi/target_abi.h) by number, name and parameters, and lists them
// in errors. All code but the header-only parts uses this, so that adding an ABI changes only one
// object file, target_abis.cc's.
#ifndef CALLBRIDGE_ADAPTERS_TARGET_ABIS_H_
#define CALLBRIDGE_ADAPTERS_TARGET_ABIS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "callbridge/abi/api_version.h"
#include "callbridge/abi/platform.h"
#include "callbridge/abi/target_abi.h"

namespace callbridge {

// Returns all ABIs, ordered by number. Static storage.
absl::Span<const TargetAbi* const> TargetAbis();

// Returns null for kUnspecified and for a number that no ABI has.
const TargetAbi* FindTargetAbi(int64_t number);
inline const TargetAbi* FindTargetAbi(ApiVersion version) {
  return FindTargetAbi(static_cast<int64_t>(version));
}

// Returns the part of the row for that platform.
inline const PlatformAbi& On(Platform platform, const TargetAbi& abi) {
  return IsGpu(platform) ? abi.gpu : abi.host;
}

// Returns the row's name; "unspecified" for kUnspecified, "unknown" for a number that no ABI has.
// Static storage.
absl::string_view ApiVersionName(ApiVersion version);

// Parses a name that ApiVersionName() returns. Returns INVALID_ARGUMENT, which lists the names, for
// any other.
absl::StatusOr<ApiVersion> ParseApiVersion(absl::string_view name);

// Returns the ABI of functions whose symbols have parameters of these types, as demanglers write
// them. Returns kUnspecified if they are not custom calls on that platform.
ApiVersion ApiVersionOfSymbol(absl::Span<const absl::string_view> types, Platform platform);

// Returns all names: "original, status_returning, status_returning_unified or typed_ffi".
std::string TargetAbiNames();
// Returns the names of the platform's ABIs whose call sites have an opaque and no attributes,
// likewise.
std::string UntypedAbiNames(Platform platform);
// Returns the range of all numbers, 0 for kUnspecified included: "0 to 4".
std::string ApiVersionNumbers();

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_TARGET_ABIS_H_
