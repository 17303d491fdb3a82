// Texts that tell users which runtime calls them and what it lacks.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_RUNTIME_TEXTS_H_
#define CALLBRIDGE_TYPED_FFI_RUNTIME_TEXTS_H_

#include <string>
#include <string_view>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
namespace typed_ffi {
inline namespace v1 {

// "0.1 (jaxlib 0.6 to 0.8.0)". Names rows that cannot be told apart together.
inline std::string DescribeVersion(const RuntimeVersion& version) {
  std::string releases = version.releases;
  if (const RuntimeVersion* lookalike = LookalikeOf(version)) {
    const std::string first = lookalike->releases;
    releases = first.substr(0, first.find(" to ")) + releases.substr(releases.find(" to "));
  }
  return "0." + std::to_string(version.minor) + " (" + releases + ")";
}

// "XLA FFI 0.1 (jaxlib 0.4.32 or newer)"; for a row that is not the first of its API version, "the
// XLA FFI 0.1 of jaxlib 0.6 or newer".
inline std::string DescribeSince(const RuntimeVersion& version) {
  std::string_view releases = version.releases;
  releases = releases.substr(0, releases.find(" to "));
  const bool is_first = IsFirstOfApiVersion(version);
  return (is_first ? "XLA FFI 0." : "the XLA FFI 0.") + std::to_string(version.minor) +
         (is_first ? " (" : " of ") + std::string(releases) +
         (is_first ? " or newer)" : " or newer");
}

// The message of an UNIMPLEMENTED error: `feature` needs a runtime of row `first` or newer.
[[gnu::cold, gnu::noinline]] inline std::string DescribeMissing(const XLA_FFI_Api& api,
                                                                std::string_view feature,
                                                                const RuntimeVersion& first) {
  const RuntimeVersion& version = VersionOf(api);
  std::string text(feature);
  if (IsSince(version, first)) {
    return text + " is not offered by this runtime, which speaks XLA FFI " +
           DescribeVersion(version) + " and could have it";
  }
  return text + " needs " + DescribeSince(first) + "; this runtime speaks " +
         DescribeVersion(version);
}

// The same for a feature that needs one function of the API table.
inline std::string DescribeMissing(const XLA_FFI_Api& api, std::string_view feature,
                                   ApiFunction function) {
  return DescribeMissing(api, feature, FirstWith(function));
}

}  // namespace v1
}  // namespace typed_ffi
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_TYPED_FFI_RUNTIME_TEXTS_H_
