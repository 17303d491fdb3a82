#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/platform.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/c_api/callbridge_pjrt.h"
#include "callbridge/c_api/ffi_handlers.h"
#include "callbridge/c_api/from_c.h"
#include "callbridge/c_api/struct_size.h"
#include "callbridge/c_api/to_c.h"
#include "callbridge/pjrt/plugin.h"
#include "callbridge/pjrt/registration.h"

namespace callbridge {
namespace {

using pjrt::Plugin;
using pjrt::Registration;

// The plugin, the api_version that it was decided to call targets by, and more traits for them.
struct Destination {
  Plugin plugin;
  ApiVersion api_version;
  XLA_FFI_Handler_Traits traits;
};

// Returns the options with their defaults.
absl::StatusOr<callbridge_pjrt_options> OptionsFromC(const callbridge_pjrt_options* options) {
  if (options == nullptr) return callbridge_pjrt_options{};
  absl::Status size = CheckStructSize("callbridge_pjrt_options", *options);
  if (!size.ok()) return size;
  return *options;
}

absl::StatusOr<Destination> Choose(const PJRT_Api* api, const callbridge_pjrt_options& options) {
  const int32_t prefer = options.prefer;
  const absl::StatusOr<Plugin> plugin = Plugin::Open(api);
  if (!plugin.ok()) return plugin.status();
  // Numbers without an ABI are those of none that can be preferred.
  const bool is_number = prefer == 0 || ApiVersionOfNumber(prefer) != ApiVersion::kUnspecified;
  const absl::StatusOr<ApiVersion> version = pjrt::ChooseApiVersion(
      *plugin, is_number ? ApiVersionOfNumber(prefer) : ApiVersion::kOriginal);
  if (!version.ok()) return version.status();
  const XLA_FFI_Handler_Traits traits =
      options.command_buffer_compatible != 0 ? XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE : 0;
  return Destination{*plugin, *version, traits};
}

absl::Status RegisterOne(const PJRT_Api* api, const callbridge_target& c_target,
                         const callbridge_pjrt_options* c_options, int32_t* api_version) {
  absl::StatusOr<Target> target = FromC(c_target);
  if (!target.ok()) return target.status();
  const absl::StatusOr<callbridge_pjrt_options> options = OptionsFromC(c_options);
  if (!options.ok()) return options.status();
  const absl::StatusOr<Destination> to = Choose(api, *options);
  if (!to.ok()) return to.status();
  target->traits |= to->traits;
  if (target->api_version == ApiVersion::kTypedFfi && target->address != nullptr) {
    XLA_FFI_Handler_Bundle handlers = target->stages;
    handlers.execute = reinterpret_cast<XLA_FFI_Handler*>(target->address);
    absl::Status typed = CheckTyped(handlers);
    if (!typed.ok()) return typed;
  }
  const absl::StatusOr<Registration> made = pjrt::Prepare(to->plugin, *target, to->api_version);
  if (!made.ok()) return made.status();
  absl::Status registered = pjrt::Register(to->plugin, *made);
  if (registered.ok() && api_version != nullptr) *api_version = static_cast<int>(to->api_version);
  return registered;
}

std::vector<callbridge_target> TargetsOf(const callbridge_library* library) {
  std::vector<callbridge_target> targets(callbridge_library_target_count(library));
  for (size_t i = 0; i < targets.size(); ++i) {
    targets[i] = {};
    targets[i].struct_size = sizeof(callbridge_target);
    callbridge_error_destroy(callbridge_library_target(library, i, &targets[i]));
  }
  return targets;
}

// Whether a target for `platform` is to be registered; `wanted` may be null.
bool IsWanted(absl::string_view platform, const Platform* wanted, const Plugin& plugin) {
  const absl::StatusOr<Platform> known = ParsePlatform(platform);
  if (!known.ok()) return false;
  return wanted != nullptr ? *known == *wanted : IsGpu(*known) == plugin.is_gpu();
}

absl::Status NoTargets(const std::vector<callbridge_target>& targets, absl::string_view platform) {
  std::string registered;
  for (const callbridge_target& target : targets) {
    absl::StrAppend(&registered, registered.empty() ? "" : ", ", "\"", target.name, "\" for ",
                    target.platform);
  }
  return absl::NotFoundError(absl::StrCat("the library has no target for ", platform, "; it has ",
                                          registered.empty() ? "none" : registered));
}

absl::StatusOr<std::vector<Registration>> PrepareAll(const Destination& to,
                                                     const callbridge_library* library,
                                                     const char* platform_name) {
  absl::StatusOr<Platform> platform = Platform::kCuda;
  if (platform_name != nullptr) platform = ParsePlatform(platform_name);
  if (!platform.ok()) return platform.status();
  const Platform* wanted = platform_name != nullptr ? &*platform : nullptr;
  const std::vector<callbridge_target> targets = TargetsOf(library);
  std::vector<Registration> made;
  std::map<std::string, Platform> names;
  for (const callbridge_target& c_target : targets) {
    if (!IsWanted(c_target.platform, wanted, to.plugin)) continue;
    absl::StatusOr<Target> target = FromC(c_target);
    if (!target.ok()) return target.status();
    target->traits |= to.traits;
    const auto [name, is_new] = names.emplace(target->name, target->platform);
    if (name->second != target->platform) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the library has \"", target->name, "\" for ", PlatformName(name->second), " and for ",
          PlatformName(target->platform), ": set the platform in callbridge_pjrt_options"));
    }
    if (!is_new) continue;  // a function beside a handler, which comes first
    absl::StatusOr<Registration> one = pjrt::Prepare(to.plugin, *target, to.api_version);
    if (!one.ok()) return one.status();
    made.push_back(*std::move(one));
  }
  if (made.empty()) {
    return NoTargets(targets, wanted != nullptr    ? PlatformName(*wanted)
                              : to.plugin.is_gpu() ? "CUDA or ROCM"
                                                   : "Host");
  }
  return made;
}

absl::Status RegisterAll(const PJRT_Api* api, const callbridge_library* library,
                         const callbridge_pjrt_options* c_options, size_t* count,
                         int32_t* api_version) {
  const absl::StatusOr<callbridge_pjrt_options> options = OptionsFromC(c_options);
  if (!options.ok()) return options.status();
  const absl::StatusOr<Destination> to = Choose(api, *options);
  if (!to.ok()) return to.status();
  const absl::StatusOr<std::vector<Registration>> made =
      PrepareAll(*to, library, options->platform);
  if (!made.ok()) return made.status();
  for (const Registration& registration : *made) {
    absl::Status registered = pjrt::Register(to->plugin, registration);
    if (!registered.ok()) return registered;
  }
  if (count != nullptr) *count = made->size();
  if (api_version != nullptr) *api_version = static_cast<int>(to->api_version);
  return absl::OkStatus();
}

}  // namespace
}  // namespace callbridge

using callbridge::WithoutExceptions;
using callbridge::pjrt::Plugin;

callbridge_error* callbridge_pjrt_register(const PJRT_Api* api, const callbridge_target* target,
                                           const callbridge_pjrt_options* options,
                                           int32_t* api_version) {
  return WithoutExceptions({{"api", api}, {"target", target}}, [&] {
    return callbridge::RegisterOne(api, *target, options, api_version);
  });
}

callbridge_error* callbridge_pjrt_register_library(const PJRT_Api* api,
                                                   const callbridge_library* library,
                                                   const callbridge_pjrt_options* options,
                                                   size_t* count, int32_t* api_version) {
  return WithoutExceptions({{"api", api}, {"library", library}}, [&] {
    return callbridge::RegisterAll(api, library, options, count, api_version);
  });
}

callbridge_error* callbridge_pjrt_register_type(const PJRT_Api* api, const char* name,
                                                int64_t* type_id, void (*deleter)(void*)) {
  return WithoutExceptions({{"api", api}, {"name", name}, {"type_id", type_id}}, [&] {
    absl::Status checked = callbridge::CheckAligned(type_id);
    if (!checked.ok()) return checked;
    const absl::StatusOr<Plugin> plugin = Plugin::Open(api);
    if (!plugin.ok()) return plugin.status();
    return callbridge::pjrt::RegisterType(*plugin, name,
                                          *reinterpret_cast<XLA_FFI_TypeId*>(type_id), deleter);
  });
}
