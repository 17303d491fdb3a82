// The table of ABIs: finds rows (abi/target_abi.h) by number, name and parameters, and names them
// in errors. Everything but the header-only parts asks here, so that an ABI more changes one
// object, that of target_abis.cc.
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

// All ABIs, by number. Static storage.
absl::Span<const TargetAbi* const> TargetAbis();

// Null for a number that no ABI has; kUnspecified is none.
const TargetAbi* FindTargetAbi(int64_t number);
inline const TargetAbi* FindTargetAbi(ApiVersion version) {
  return FindTargetAbi(static_cast<int64_t>(version));
}

// What is known of the ABI on that platform.
inline const PlatformAbi& On(Platform platform, const TargetAbi& abi) {
  return IsGpu(platform) ? abi.gpu : abi.host;
}

// The row's name; "unspecified" for kUnspecified, "unknown" for a number that no ABI has. Static
// storage.
absl::string_view ApiVersionName(ApiVersion version);

// Reads a name as ApiVersionName() writes it. INVALID_ARGUMENT lists the names.
absl::StatusOr<ApiVersion> ParseApiVersion(absl::string_view name);

// The ABI of functions whose symbols have these types of parameters, as demanglers write them;
// kUnspecified where they are no custom calls on that platform.
ApiVersion ApiVersionOfSymbol(absl::Span<const absl::string_view> types, Platform platform);

// All names: "original, status_returning, status_returning_unified or typed_ffi".
std::string TargetAbiNames();
// The same of the ABIs on that platform whose call sites have an opaque and no attributes.
std::string UntypedAbiNames(Platform platform);
// All numbers, kUnspecified's too: "0 to 4".
std::string ApiVersionNumbers();

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_TARGET_ABIS_H_
