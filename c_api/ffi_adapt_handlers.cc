// The part of callbridge_ffi.h for handlers that were built for another runtime.
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/platform.h"
#include "callbridge/adapters/cross_version/explained_errors.h"
#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/c_api/ffi_handlers.h"
#include "callbridge/c_api/to_c.h"
#include "callbridge/loader/target_library.h"
#include "callbridge/loader/typed_probe.h"
#include "callbridge/typed_ffi/host/releases.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace {

struct Stage {
  const char* name;
  XLA_FFI_Handler* XLA_FFI_Handler_Bundle::*handler;
};
constexpr Stage kStages[] = {{"instantiate", &XLA_FFI_Handler_Bundle::instantiate},
                             {"prepare", &XLA_FFI_Handler_Bundle::prepare},
                             {"initialize", &XLA_FFI_Handler_Bundle::initialize},
                             {"execute", &XLA_FFI_Handler_Bundle::execute},
                             {"record", &XLA_FFI_Handler_Bundle::record}};

}  // namespace

absl::Status CheckTyped(const XLA_FFI_Handler_Bundle& handlers) {
  for (const Stage& stage : kStages) {
    XLA_FFI_Handler* const handler = handlers.*stage.handler;
    if (handler == nullptr) continue;
    const TypedAnswer answer = ProbeDeclaredTyped(reinterpret_cast<const void*>(handler));
    switch (answer.verdict) {
      case TypedVerdict::kTyped:
        break;
      case TypedVerdict::kNotTyped:
        return absl::InvalidArgumentError(
            absl::StrCat("the function for the stage ", stage.name,
                         " is not a typed FFI handler: ", answer.evidence));
      case TypedVerdict::kUnverified:
        return absl::FailedPreconditionError(
            absl::StrCat("cannot verify that the function for the stage ", stage.name,
                         " is a typed FFI handler: ", answer.evidence));
    }
  }
  return absl::OkStatus();
}

namespace {

// Wrappers live as long as the process, and a runtime that was given handlers never forgets them.
void KeepLibrariesForGood(const XLA_FFI_Handler_Bundle& handlers) {
  for (const Stage& stage : kStages) {
    KeepForGood(TargetLibrary::Holding(reinterpret_cast<const void*>(handlers.*stage.handler)));
  }
}

absl::Status Adapt(const callbridge_ffi_handlers& handlers, const char* platform_name,
                   const char* release, callbridge_ffi_handlers* adapted) {
  const absl::StatusOr<XLA_FFI_Handler_Bundle> bundle = FromC(handlers);
  if (!bundle.ok()) return bundle.status();
  const absl::StatusOr<Platform> platform = ParsePlatform(platform_name);
  if (!platform.ok()) return platform.status();
  const typed_ffi::RuntimeVersion* runtime = nullptr;
  if (release != nullptr) {
    absl::StatusOr<const typed_ffi::RuntimeVersion*> known = host::VersionOfRelease(release);
    if (known.ok()) runtime = *known;  // wrappers serve unknown releases
  }
  absl::Status typed = CheckTyped(*bundle);
  if (!typed.ok()) return typed;
  KeepLibrariesForGood(*bundle);
  XLA_FFI_Handler_Traits traits = TraitsOf(handlers);
  const absl::StatusOr<XLA_FFI_Handler_Bundle> made =
      AdaptHandlers(*bundle, *platform, runtime, &traits);
  return made.ok() ? ToC(*made, traits, adapted) : made.status();
}

absl::Status ExplainErrors(const callbridge_ffi_handlers& handlers, const char* explanation,
                           callbridge_ffi_handlers* explained) {
  absl::StatusOr<XLA_FFI_Handler_Bundle> bundle = FromC(handlers);
  if (!bundle.ok()) return bundle.status();
  KeepLibrariesForGood(*bundle);
  for (const Stage& stage : kStages) {
    XLA_FFI_Handler*& handler = *bundle.*stage.handler;
    if (handler == nullptr) continue;
    const absl::StatusOr<XLA_FFI_Handler*> made =
        GetHandlerWithExplainedErrors(handler, explanation);
    if (!made.ok()) return made.status();
    handler = *made;
  }
  return ToC(*bundle, TraitsOf(handlers), explained);
}

}  // namespace
}  // namespace callbridge

callbridge_error* callbridge_ffi_adapt_handlers(const callbridge_ffi_handlers* handlers,
                                                const char* platform, const char* release,
                                                callbridge_ffi_handlers* adapted) {
  return callbridge::WithoutExceptions(
      {{"handlers", handlers}, {"platform", platform}, {"adapted", adapted}},
      [&] { return callbridge::Adapt(*handlers, platform, release, adapted); });
}

callbridge_error* callbridge_ffi_explain_errors(const callbridge_ffi_handlers* handlers,
                                                const char* explanation,
                                                callbridge_ffi_handlers* explained) {
  return callbridge::WithoutExceptions(
      {{"handlers", handlers}, {"explanation", explanation}, {"explained", explained}},
      [&] { return callbridge::ExplainErrors(*handlers, explanation, explained); });
}
