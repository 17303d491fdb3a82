// Platform: where a custom call runs. XLA names platforms by text; here "Host" and "cpu" are the
// same, and case does not matter.
#ifndef CALLBRIDGE_ABI_PLATFORM_H_
#define CALLBRIDGE_ABI_PLATFORM_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace callbridge {

enum class Platform : uint8_t { kHost, kCuda, kRocm };

// Returns XLA's spelling: "Host", "CUDA", "ROCM". The view is of static storage.
absl::string_view PlatformName(Platform platform);

// Parses "Host" or "cpu", "CUDA" and "ROCM", in any case. "gpu" means `gpu`, the runtime's GPU
// platform. Returns INVALID_ARGUMENT, which lists the names, for any other name.
absl::StatusOr<Platform> ParsePlatform(absl::string_view name, Platform gpu = Platform::kCuda);

// Returns true for CUDA and ROCM.
inline bool IsGpu(Platform platform) { return platform != Platform::kHost; }

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_PLATFORM_H_
