// Registers targets of any ABI with a PJRT plugin, by the path that the plugin serves best.
#ifndef CALLBRIDGE_PJRT_REGISTRATION_H_
#define CALLBRIDGE_PJRT_REGISTRATION_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/abi/api_version.h"
#include "callbridge/abi/platform.h"
#include "callbridge/adapters/target.h"
#include "callbridge/pjrt/plugin.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace pjrt {

// What the plugin gets in a target's place.
struct Registration {
  std::string name;
  Platform platform;
  // By which api_version programs call it: kTypedFfi or kStatusReturningUnified.
  ApiVersion api_version;
  void* function;                   // of version 3; null for typed handlers
  XLA_FFI_Handler_Bundle handlers;  // all null for version 3
  // The target's, and those that its handlers report; 0 for version 3.
  XLA_FFI_Handler_Traits traits;
};

// Returns the api_version by which programs call what is registered with `plugin`: `prefer`, which
// must be kTypedFfi, kStatusReturningUnified, or kUnspecified for the fastest that the plugin
// serves. Returns INVALID_ARGUMENT for another one, and UNIMPLEMENTED if the plugin does not serve
// it.
absl::StatusOr<ApiVersion> ChooseApiVersion(const Plugin& plugin, ApiVersion prefer);

// Makes what to register in the place of `target`, whose library stays loaded for good, and checks
// what can be checked without the plugin, which may report nothing. Typed handlers must be known to
// be typed (loader/typed_probe.h).
//
// Returns INVALID_ARGUMENT if the target is of another platform than the plugin, or if the name is
// empty; and the errors of GetEntryPoints(), AdaptHandlers(), and of a query for the version of
// handlers that were written by hand.
absl::StatusOr<Registration> Prepare(const Plugin& plugin, const Target& target,
                                     ApiVersion api_version);

// Registers it. Succeeds again for the same target. Returns ALREADY_EXISTS if this copy of
// callbridge registered another one with the plugin under that name, and the plugin's errors.
// Thread-safe.
absl::Status Register(const Plugin& plugin, const Registration& registration);

// Registers a type of user data with the plugin's XLA and with callbridge. Writes to `type_id`, if
// that is 0, the id that callbridge has for `name`, or assigns, or that XLA assigns if the plugin
// takes none. `deleter` may be null. Returns the errors of Plugin::RegisterType() and
// host::TypeRegistry::Register().
// Thread-safe.
absl::Status RegisterType(const Plugin& plugin, const std::string& name, XLA_FFI_TypeId& type_id,
                          void (*deleter)(void*));

}  // namespace pjrt
}  // namespace callbridge

#endif  // CALLBRIDGE_PJRT_REGISTRATION_H_
