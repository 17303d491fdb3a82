#include "callbridge/abi/api_version.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace callbridge {
namespace {

struct NamedVersion {
  ApiVersion version;
  absl::string_view name;
};

constexpr NamedVersion kVersions[] = {
    {ApiVersion::kUnspecified, "unspecified"},
    {ApiVersion::kOriginal, "original"},
    {ApiVersion::kStatusReturning, "status_returning"},
    {ApiVersion::kStatusReturningUnified, "status_returning_unified"},
    {ApiVersion::kTypedFfi, "typed_ffi"},
};

}  // namespace

absl::string_view ApiVersionName(ApiVersion version) {
  for (const NamedVersion& named : kVersions) {
    if (named.version == version) return named.name;
  }
  return "unknown";
}

absl::StatusOr<ApiVersion> ParseApiVersion(absl::string_view name) {
  for (const NamedVersion& named : kVersions) {
    if (named.name == name) return named.version;
  }
  const std::string names = absl::StrJoin(
      kVersions, ", ",
      [](std::string* out, const NamedVersion& named) { absl::StrAppend(out, named.name); });
  return absl::InvalidArgumentError(absl::StrCat("unknown API version \"", absl::CHexEscape(name),
                                                 "\": expected one of ", names));
}

}  // namespace callbridge
