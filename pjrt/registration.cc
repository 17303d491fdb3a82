#include "callbridge/pjrt/registration.h"

#include <array>
#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/cross_version/headers.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/typed_ffi/host/metadata_query.h"
#include "callbridge/typed_ffi/host/type_registry.h"

namespace callbridge {
namespace pjrt {
namespace {

absl::Status Naming(absl::string_view name, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("custom call \"", name, "\": ", status.message()));
}

absl::Status CheckPlatform(const Plugin& plugin, Platform platform) {
  if (!plugin.is_gpu() || IsGpu(platform)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the target is for ", PlatformName(platform),
                                                 ", but the plugin runs programs on a GPU"));
}

// Checks the version of a handler that was written by hand, which the plugin asks for. Those of
// XLA's headers fit, or get wrappers that do.
absl::Status CheckVersion(const typed_ffi::RuntimeVersion& runtime, XLA_FFI_Handler* handler) {
  if (!absl::IsFailedPrecondition(RecognizeHeaders(handler).status())) return absl::OkStatus();
  return host::QueryMetadata(runtime, handler).status();
}

// The handlers that run on the plugin. They report `traits`, as most plugins take traits from that
// report alone. Adds to `traits` those that the target's handlers report.
absl::StatusOr<XLA_FFI_Handler_Bundle> HandlersFor(const Plugin& plugin, const Target& target,
                                                   XLA_FFI_Handler_Traits& traits) {
  if (target.api_version != ApiVersion::kTypedFfi) {
    const absl::StatusOr<EntryPoints> points = GetEntryPoints(target);
    if (!points.ok()) return points.status();
    XLA_FFI_Handler_Bundle handlers = {};
    handlers.execute = points->typed;
    return handlers;
  }
  if (target.address == nullptr) return absl::InvalidArgumentError("the address is null");
  XLA_FFI_Handler_Bundle handlers = target.stages;
  handlers.execute = reinterpret_cast<XLA_FFI_Handler*>(target.address);
  const typed_ffi::RuntimeVersion& runtime = FfiOf(plugin.version());
  absl::StatusOr<XLA_FFI_Handler_Bundle> adapted =
      AdaptHandlers(handlers, target.platform, &runtime, &traits);
  if (!adapted.ok() || plugin.version().reports_refusals) return adapted;
  absl::Status accepted = CheckVersion(runtime, handlers.execute);
  if (accepted.ok() && handlers.instantiate != nullptr && !runtime.null_api_in_query) {
    accepted = CheckVersion(runtime, handlers.instantiate);
  }
  return accepted.ok() ? adapted : accepted;
}

}  // namespace

absl::StatusOr<ApiVersion> ChooseApiVersion(const Plugin& plugin, ApiVersion prefer) {
  if (prefer != ApiVersion::kUnspecified && prefer != ApiVersion::kTypedFfi &&
      prefer != ApiVersion::kStatusReturningUnified) {
    return absl::InvalidArgumentError(
        absl::StrCat("prefer is ", static_cast<int>(prefer),
                     ", but must be 3 (untyped), 4 (typed FFI) or 0 (the fastest)"));
  }
  if (prefer == ApiVersion::kStatusReturningUnified) {
    if (plugin.is_gpu()) return prefer;
    return absl::UnimplementedError(
        "the plugin has no extension for GPU custom calls, and registers typed handlers alone");
  }
  const absl::StatusOr<bool> takes_handlers = plugin.TakesHandlers();
  if (!takes_handlers.ok()) return takes_handlers.status();
  if (*takes_handlers) return ApiVersion::kTypedFfi;
  if (prefer == ApiVersion::kUnspecified) return ApiVersion::kStatusReturningUnified;
  return absl::UnimplementedError(
      absl::StrCat("the plugin (PJRT API ", plugin.version_text(),
                   ") does not take all stages of typed handlers; plugins do since jaxlib 0.4.34"));
}

absl::StatusOr<Registration> Prepare(const Plugin& plugin, const Target& target,
                                     ApiVersion api_version) {
  Registration made = {target.name, target.platform, api_version, nullptr, {}, 0};
  absl::Status checked = CheckPlatform(plugin, target.platform);
  if (checked.ok() && target.name.empty()) {
    checked = absl::InvalidArgumentError("the name is empty");
  }
  if (!checked.ok()) return Naming(target.name, checked);
  if (api_version == ApiVersion::kTypedFfi) {
    made.traits = target.traits;
    const absl::StatusOr<XLA_FFI_Handler_Bundle> handlers =
        HandlersFor(plugin, target, made.traits);
    if (!handlers.ok()) return Naming(target.name, handlers.status());
    made.handlers = *handlers;
  } else {
    const absl::StatusOr<EntryPoints> points = GetEntryPoints(target);
    if (!points.ok()) return Naming(target.name, points.status());
    made.function = points->untyped;
  }
  KeepForGood(target.library);
  return made;
}

namespace {

// XLA has a registry for typed handlers and one for functions. A GPU plugin has one platform.
using Key = std::tuple<const void*, ApiVersion, Platform, std::string>;
using Functions = std::array<const void*, 5>;

std::map<Key, Functions>& Registered() {  // under the TableLock
  static auto& registered = *new std::map<Key, Functions>;
  return registered;
}

Functions FunctionsOf(const Registration& registration) {
  const XLA_FFI_Handler_Bundle& handlers = registration.handlers;
  const auto address = [](XLA_FFI_Handler* handler) {
    return reinterpret_cast<const void*>(handler);
  };
  return {registration.function, address(handlers.instantiate), address(handlers.prepare),
          address(handlers.initialize), address(handlers.execute)};
}

}  // namespace

absl::Status Register(const Plugin& plugin, const Registration& registration) {
  const Key key(plugin.registrar(), registration.api_version,
                plugin.is_gpu() ? Platform::kCuda : registration.platform, registration.name);
  const Functions functions = FunctionsOf(registration);
  bool is_new;
  {
    // XLA ends the process for an untyped name that comes with another function, and keeps silent
    // about a typed one, so the name is taken first.
    const TableLock lock;
    const auto [entry, inserted] = Registered().emplace(key, functions);
    is_new = inserted;
    if (entry->second != functions) {
      return Naming(registration.name,
                    absl::AlreadyExistsError(
                        "the plugin has another target of that name, which callbridge registered, "
                        "and keeps one for each name until the process ends; use another name"));
    }
  }
  absl::Status registered =
      registration.api_version == ApiVersion::kTypedFfi
          ? plugin.RegisterHandlers(registration.name, PlatformName(registration.platform),
                                    registration.handlers, registration.traits)
          : plugin.RegisterFunction(registration.name, registration.function);
  if (registered.ok()) return registered;
  if (is_new) {
    const TableLock lock;
    Registered().erase(key);
  }
  return Naming(registration.name,
                absl::Status(registered.code(),
                             absl::StrCat("the plugin refuses it: ", registered.message())));
}

absl::Status RegisterType(const Plugin& plugin, const std::string& name, XLA_FFI_TypeId& type_id,
                          void (*deleter)(void*)) {
  host::TypeRegistry& types = host::TypeRegistry::OfProcess();
  const XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, deleter};
  XLA_FFI_TypeId id = type_id.type_id != 0 ? type_id : types.FindId(name);
  // Other plugins may have assigned that id to another name, but none assigns callbridge's.
  const bool is_callbridges = plugin.version().takes_type_ids;
  if (is_callbridges) {
    absl::Status known = types.Register(name, id, &info);
    if (!known.ok()) return known;
  }
  absl::Status registered = plugin.RegisterType(name, &id.type_id, deleter);
  if (!registered.ok()) {
    return absl::Status(registered.code(),
                        absl::StrCat("type \"", name, "\": ", registered.message()));
  }
  if (!is_callbridges) registered = types.Register(name, id, &info);
  if (registered.ok()) type_id = id;
  return registered;
}

}  // namespace pjrt
}  // namespace callbridge
