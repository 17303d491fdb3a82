// Platform: where a custom call runs. XLA names platforms by text; here "Host" and "cpu" are one,
// and case does not matter.
#ifndef CALLBRIDGE_ABI_PLATFORM_H_
#define CALLBRIDGE_ABI_PLATFORM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

enum class Platform : uint8_t { kHost, kCuda, kRocm };

// XLA's own spelling: "Host", "CUDA", "ROCM". The view is to static storage.
absl::string_view PlatformName(Platform platform);

// Reads "Host" or "cpu", "CUDA", "ROCM", in any case; "gpu" is `gpu`, the one that the runtime has.
// INVALID_ARGUMENT lists the names.
absl::StatusOr<Platform> ParsePlatform(absl::string_view name, Platform gpu = Platform::kCuda);

// True for CUDA and ROCM.
inline bool IsGpu(Platform platform) { return platform != Platform::kHost; }

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_PLATFORM_H_
