// The C API's part for typed handlers that were built for another runtime.
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/platform.h"
#include "callbridge/adapters/foreign_handler.h"
#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/struct_size.h"
#include "callbridge/c_api/to_c.h"
#include "callbridge/runtime/typed_probe.h"
#include "callbridge/typed_ffi/host/releases.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace {

struct Stage {
  const char* name;
  void* callbridge_typed_handlers::*c_handler;
  XLA_FFI_Handler* XLA_FFI_Handler_Bundle::*handler;
};
constexpr Stage kStages[] = {
    {"instantiate", &callbridge_typed_handlers::instantiate, &XLA_FFI_Handler_Bundle::instantiate},
    {"prepare", &callbridge_typed_handlers::prepare, &XLA_FFI_Handler_Bundle::prepare},
    {"initialize", &callbridge_typed_handlers::initialize, &XLA_FFI_Handler_Bundle::initialize},
    {"execute", &callbridge_typed_handlers::execute, &XLA_FFI_Handler_Bundle::execute},
    {"record", &callbridge_typed_handlers::record, &XLA_FFI_Handler_Bundle::record}};

// Whether it is a typed handler, so that it may be asked more in this process.
absl::Status CheckTyped(const char* stage, const void* handler) {
  const TypedAnswer answer = ProbeTyped(handler);
  switch (answer.verdict) {
    case TypedVerdict::kTyped:
      return absl::OkStatus();
    case TypedVerdict::kNotTyped:
      return absl::InvalidArgumentError(absl::StrCat("the function for the stage ", stage,
                                                     " is no typed handler: ", answer.evidence));
    case TypedVerdict::kUnverified:
      break;
  }
  return absl::FailedPreconditionError(
      absl::StrCat("whether the function for the stage ", stage,
                   " is a typed handler cannot be told: ", answer.evidence));
}

absl::Status Adapt(const callbridge_typed_handlers& handlers, const char* platform_name,
                   const char* jaxlib_release, callbridge_typed_handlers& adapted) {
  for (size_t struct_size : {handlers.struct_size, adapted.struct_size}) {
    absl::Status status =
        CheckStructSize("callbridge_typed_handlers", struct_size, sizeof(handlers));
    if (!status.ok()) return status;
  }
  if (handlers.execute == nullptr) {
    return absl::InvalidArgumentError("there is no handler for the stage execute");
  }
  if (platform_name == nullptr) return absl::InvalidArgumentError("platform is null");
  absl::StatusOr<Platform> platform = ParsePlatform(platform_name);
  if (!platform.ok()) return platform.status();
  const typed_ffi::RuntimeVersion* runtime = nullptr;
  if (jaxlib_release != nullptr) {
    absl::StatusOr<const typed_ffi::RuntimeVersion*> known = host::VersionOfRelease(jaxlib_release);
    if (known.ok()) runtime = *known;  // wrappers serve what is not known
  }
  XLA_FFI_Handler_Bundle bundle = {};
  for (const Stage& stage : kStages) {
    void* const handler = handlers.*stage.c_handler;
    if (handler == nullptr) continue;
    absl::Status typed = CheckTyped(stage.name, handler);
    if (!typed.ok()) return typed;
    bundle.*stage.handler = reinterpret_cast<XLA_FFI_Handler*>(handler);
  }
  absl::StatusOr<XLA_FFI_Handler_Bundle> made = AdaptHandlers(bundle, *platform, runtime);
  if (!made.ok()) return made.status();
  for (const Stage& stage : kStages) {
    adapted.*stage.c_handler = reinterpret_cast<void*>((*made).*stage.handler);
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace callbridge

callbridge_error* callbridge_typed_handlers_adapt(const callbridge_typed_handlers* handlers,
                                                  const char* platform, const char* jaxlib_release,
                                                  callbridge_typed_handlers* adapted) {
  return callbridge::WithoutExceptions(
      [&] { return callbridge::Adapt(*handlers, platform, jaxlib_release, *adapted); });
}

callbridge_error* callbridge_type_register(const char* name, int64_t* type_id,
                                           void (*deleter)(void*)) {
  return callbridge::WithoutExceptions([&]() -> absl::Status {
    if (name == nullptr || type_id == nullptr) {
      return absl::InvalidArgumentError("a type needs a name and a variable for its id");
    }
    const XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, deleter};
    return callbridge::host::TypeRegistry::OfProcess().Register(
        name, *reinterpret_cast<XLA_FFI_TypeId*>(type_id), &info);
  });
}
