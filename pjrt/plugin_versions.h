// All that differs between the versions of XLA's PJRT plugins and cannot be read from the sizes of
// their structs.
#ifndef CALLBRIDGE_PJRT_PLUGIN_VERSIONS_H_
#define CALLBRIDGE_PJRT_PLUGIN_VERSIONS_H_

#include "callbridge/pjrt/pjrt_c_api.h"
#include "callbridge/typed_ffi/host/releases.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace pjrt {

inline constexpr int kMajorVersion = 0;

// A version of the PJRT API, and those after it up to the next row.
struct PluginVersion {
  int since;            // of the API's versions 0.`since`
  const char* release;  // a jaxlib whose XLA FFI these plugins have at least
  bool takes_type_ids;  // a type gets the id that comes with it; otherwise XLA assigns one
  // The arguments of the GPU custom-call extension may be of either layout.
  bool layout_is_ambiguous;
  // Registering handlers through the GPU custom-call extension reports why XLA refuses them.
  // Before, it reports success.
  bool reports_refusals;
};

// Measured with the CUDA plugins of jaxlib 0.4.30, 0.4.31 and 0.4.34 (all 0.54), 0.4.35 (0.55),
// 0.4.36 (0.57), 0.4.38 (0.58), 0.6.2 (0.70), 0.7.2 (0.76), 0.8.3 (0.85), 0.9.2 (0.100), 0.10.2
// (0.112), 0.11.0 (0.114) and 0.12.0.1 (0.116).
inline constexpr PluginVersion kPluginVersions[] = {
    {54, "0.4.34", false, true, false},  {55, "0.4.34", false, false, false},
    {58, "0.4.38", false, false, false}, {70, "0.6", true, false, false},
    {85, "0.8.3", true, false, false},   {112, "0.10", true, false, false},
    {114, "0.11", true, false, false},   {116, "0.12", true, false, true},
};
inline constexpr const PluginVersion& kOldestPlugin = kPluginVersions[0];

// The row of a plugin: the newest for later versions, null for older ones and other major versions.
inline const PluginVersion* VersionOfPlugin(const PJRT_Api_Version& version) {
  if (version.major_version != kMajorVersion) return nullptr;
  const int number = version.minor_version;
  const PluginVersion* found = nullptr;
  for (const PluginVersion& row : kPluginVersions) {
    if (number >= row.since) found = &row;
  }
  return found;
}

// The XLA FFI that plugins of a row have at least.
inline const typed_ffi::RuntimeVersion& FfiOf(const PluginVersion& version) {
  return **host::VersionOfRelease(version.release);
}

}  // namespace pjrt
}  // namespace callbridge

#endif  // CALLBRIDGE_PJRT_PLUGIN_VERSIONS_H_
