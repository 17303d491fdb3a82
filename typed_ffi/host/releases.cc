#include "callbridge/typed_ffi/host/releases.h"

#include <array>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"

namespace callbridge {
namespace host {
namespace {

using typed_ffi::kNewestVersion;
using typed_ffi::kOldestVersion;
using typed_ffi::kRuntimeVersionCount;
using typed_ffi::kRuntimeVersions;

using Number = std::array<int, 3>;  // "0.12.0.1" is {0, 12, 0}

absl::optional<Number> ParseNumber(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  if (parts.size() < 2 || parts.size() > 4) return absl::nullopt;
  Number number = {};
  for (size_t i = 0; i < parts.size(); ++i) {
    int part = 0;
    if (!absl::SimpleAtoi(parts[i], &part) || part < 0) return absl::nullopt;
    if (i < number.size()) number[i] = part;
  }
  return number;
}

// A row says "jaxlib FIRST" or "jaxlib FIRST to LAST".
std::vector<absl::string_view> Words(const RuntimeVersion& version) {
  return absl::StrSplit(version.releases, ' ');
}
Number First(const RuntimeVersion& version) { return ParseNumber(Words(version)[1]).value(); }
absl::string_view Last(const RuntimeVersion& version) { return Words(version).back(); }

}  // namespace

absl::StatusOr<const RuntimeVersion*> VersionOfRelease(absl::string_view release) {
  if (release.empty()) return &kNewestVersion;
  const absl::optional<Number> number = ParseNumber(release);
  if (!number.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", release, "\" is no release of jaxlib, such as 0.4.30 or ", Last(kNewestVersion)));
  }
  const Number newest = ParseNumber(Last(kNewestVersion)).value();
  const bool too_new = (*number)[0] != newest[0] || (*number)[1] > newest[1];
  for (int row = kRuntimeVersionCount - 1; row >= 0 && !too_new; --row) {
    if (*number >= First(kRuntimeVersions[row])) return &kRuntimeVersions[row];
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the XLA FFI of jaxlib ", release, " is unknown: callbridge knows jaxlib ",
                   Words(kOldestVersion)[1], " to ", Last(kNewestVersion)));
}

}  // namespace host
}  // namespace callbridge
