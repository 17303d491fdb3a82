#include "callbridge/abi/platform.h"

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

struct NamedPlatform {
  Platform platform;
  absl::string_view name;
};

// XLA's own spelling comes before its synonyms.
constexpr NamedPlatform kPlatforms[] = {
    {Platform::kHost, "Host"},
    {Platform::kHost, "cpu"},
    {Platform::kCuda, "CUDA"},
    {Platform::kRocm, "ROCM"},
};

}  // namespace

absl::string_view PlatformName(Platform platform) {
  for (const NamedPlatform& named : kPlatforms) {
    if (named.platform == platform) return named.name;
  }
  return "unknown";
}

absl::StatusOr<Platform> ParsePlatform(absl::string_view name, Platform gpu) {
  for (const NamedPlatform& named : kPlatforms) {
    if (absl::EqualsIgnoreCase(named.name, name)) return named.platform;
  }
  if (absl::EqualsIgnoreCase("gpu", name)) return gpu;
  return absl::InvalidArgumentError(
      absl::StrCat("unknown platform \"", absl::CHexEscape(name),
                   "\": expected Host, cpu, CUDA, ROCM or gpu, in upper or lower case"));
}

}  // namespace callbridge
