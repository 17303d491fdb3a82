#include "callbridge/adapters/typed_call.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/cross_version/headers.h"
#include "callbridge/typed_ffi/host/metadata_query.h"
#include "callbridge/typed_ffi/host/releases.h"
#include "callbridge/typed_ffi/host/runtime_services.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace {

using host::HandlerInstance;
using host::RuntimeServices;
using typed_ffi::kNewestVersion;
using typed_ffi::RuntimeVersion;

// ---- The runtime version for a handler

struct ShownRuntime {
  const RuntimeVersion* version;
  XLA_FFI_Handler_Bundle handlers;
};

absl::StatusOr<ShownRuntime> ChooseRuntime(const XLA_FFI_Handler_Bundle& handlers,
                                           const Target& target) {
  const RuntimeVersion* version = nullptr;
  bool wrap = false;
  for (XLA_FFI_Handler* handler : {handlers.instantiate, handlers.prepare, handlers.initialize,
                                   handlers.execute, handlers.record}) {
    if (handler == nullptr) continue;
    const absl::StatusOr<HandlerHeaders> headers = RecognizeHeaders(handler);
    if (absl::IsFailedPrecondition(headers.status())) continue;  // written by hand
    if (!headers.ok()) return headers.status();
    if (headers->adapts) continue;
    wrap |= headers->version->headers_are_ambiguous ||
            (version != nullptr && version != headers->version);
    version = headers->version;
  }
  if (!wrap) return ShownRuntime{version != nullptr ? version : &kNewestVersion, handlers};
  absl::StatusOr<XLA_FFI_Handler_Bundle> wrappers =
      AdaptHandlers(handlers, target.platform, nullptr);
  if (!wrappers.ok()) return wrappers.status();
  KeepForGood(target.library);
  return ShownRuntime{&kNewestVersion, *wrappers};
}

// Returns the version of `release`, which must be one that the handlers run on.
absl::StatusOr<ShownRuntime> RuntimeOfRelease(const std::string& release,
                                              const XLA_FFI_Handler_Bundle& handlers) {
  const absl::StatusOr<const RuntimeVersion*> version =
      host::VersionOfRelease(release == "newest" ? "" : release);
  if (!version.ok()) return version.status();
  const absl::StatusOr<host::HandlerMetadata> metadata = host::QueryMetadata(**version, handlers);
  if (!metadata.ok()) return metadata.status();
  return ShownRuntime{*version, handlers};
}

absl::Status WithTargetName(const Target& target, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("custom call \"", target.name, "\": ", status.message()));
}

// ---- Calls

const HandlerInstance& InstanceOf(const CallPlan& plan) {
  return *static_cast<const HandlerInstance*>(plan.callee);
}

CallBuffers Counted(const CallPlan& plan, void** operands, void** results) {
  return {{operands, plan.operands.leaf_count()}, {results, plan.result.leaf_count()}};
}

absl::Status RunOnHost(const CallPlan& plan, const absl::string_view&, void** operands,
                       void** results, const ExecutionContext& context) {
  static const RuntimeServices nothing;
  return InstanceOf(plan).Execute(Counted(plan, operands, results),
                                  context.services != nullptr ? *context.services : nothing);
}

RuntimeServices ServicesOnGpu(const ExecutionContext& context) {
  RuntimeServices services;
  if (context.services != nullptr) services = *context.services;
  if (!services.stream.has_value()) services.stream = context.stream;
  return services;
}

absl::Status RunOnGpu(const CallPlan& plan, const absl::string_view&, void** operands,
                      void** results, const ExecutionContext& context) {
  return InstanceOf(plan).Execute(Counted(plan, operands, results), ServicesOnGpu(context));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const TypedCall>> InstantiateTyped(const CallSite& site,
                                                                  const Target& target,
                                                                  const RuntimeServices* services) {
  if (!site.opaque.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the call site has an opaque, but custom call \"", target.name,
        "\" is a typed FFI handler, which gets attributes and no opaque: pass it as one of them (a "
        "CALLBRIDGE_EXPORT handler reads \"opaque\")"));
  }
  XLA_FFI_Handler_Bundle handlers = target.stages;
  handlers.execute = reinterpret_cast<XLA_FFI_Handler*>(target.address);
  absl::StatusOr<ShownRuntime> shown = site.release.empty()
                                           ? ChooseRuntime(handlers, target)
                                           : RuntimeOfRelease(site.release, handlers);
  if (!shown.ok()) {
    return site.release.empty() ? WithTargetName(target, shown.status()) : shown.status();
  }
  absl::StatusOr<std::unique_ptr<HandlerInstance>> instance =
      HandlerInstance::Create(*shown->version, shown->handlers,
                              host::CallFrame(site.operands, {&site.result, 1}, site.attributes),
                              services != nullptr ? *services : RuntimeServices());
  if (!instance.ok()) return instance.status();
  return std::make_shared<const TypedCall>(
      TypedCall{target.library, *std::move(instance), IsGpu(site.platform)});
}

CallPlan PlanTypedCall(const TypedCall& call, const CallSite& site) {
  // Handlers get leaves, so there are no tables to write.
  return {IsGpu(site.platform) ? &RunOnGpu : &RunOnHost, call.instance.get(),
          PointerTables::ForOperands(site.operands, TupleLayout::kFlat),
          PointerTables::ForResult(site.result, TupleLayout::kFlat)};
}

RuntimeServices ServicesOf(const TypedCall& call, const ExecutionContext& context) {
  if (call.on_gpu) return ServicesOnGpu(context);
  return context.services != nullptr ? *context.services : RuntimeServices();
}

}  // namespace callbridge
