#include "callbridge/adapters/cross_version/handler.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/failure_status.h"
#include "callbridge/abi/table_lock.h"
#include "callbridge/adapters/cross_version/api_table.h"
#include "callbridge/adapters/cross_version/context.h"
#include "callbridge/adapters/cross_version/outcome.h"
#include "callbridge/adapters/cross_version/state.h"
#include "callbridge/adapters/cross_version/traits.h"
#include "callbridge/adapters/entry_points/trampolines.h"
#include "callbridge/adapters/recorded_call.h"
#include "callbridge/adapters/typed_frame.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "callbridge/typed_ffi/host/future_object.h"
#include "callbridge/typed_ffi/host/type_registry.h"

namespace callbridge {
namespace {

using typed_ffi::kNoStage;
using typed_ffi::RuntimeVersion;

// ---- Metadata

constexpr char kMissingType[] =
    "the handler makes state of a type that is not registered; register the type first, with "
    "callbridge.jax.register_type or callbridge_ffi_register_type";

// `api` is null up to jaxlib 0.7.2, whose metadata has no state type id.
ABSL_ATTRIBUTE_NOINLINE XLA_FFI_Error* AnswerMetadata(const CrossVersionHandler& handler,
                                                      const XLA_FFI_Api* api,
                                                      XLA_FFI_Metadata& metadata) {
  const ReportedMetadata own = ReadReportedMetadata(handler.function, handler.headers);
  typed_ffi::ReportLowestVersion(metadata.api_version);
  metadata.traits = own.traits;
  if (api == nullptr) return nullptr;
  CrossVersionRuntime& runtime = CrossVersionRuntime::Of(api);
  if (runtime.version().metadata_size < sizeof(XLA_FFI_Metadata)) return nullptr;
  if (own.type_is_missing) {
    return runtime.MakeError(XLA_FFI_Error_Code_FAILED_PRECONDITION, kMissingType);
  }
  return FindStateTypeId(handler.headers, own.state_type_id, runtime, &metadata.state_type_id);
}

// ---- Stages

struct Stage {
  const char* name;
  const int8_t RuntimeVersion::*number;
};
constexpr Stage kStages[] = {{"INSTANTIATE", &RuntimeVersion::instantiate},
                             {"PREPARE", &RuntimeVersion::prepare},
                             {"INITIALIZE", &RuntimeVersion::initialize},
                             {"EXECUTE", &RuntimeVersion::execute},
                             {"RECORD", &RuntimeVersion::record}};

// Converts `stage` from the runtime's number to the handler's. Returns null or the runtime's error.
XLA_FFI_Error* TranslateStage(const CrossVersionHandler& handler,
                              const CrossVersionRuntime& runtime, XLA_FFI_ExecutionStage& stage) {
  for (const Stage& known : kStages) {
    if (runtime.version().*known.number != stage) continue;
    const int8_t translated = handler.headers.*known.number;
    if (translated == kNoStage) {
      return runtime.MakeError(
          XLA_FFI_Error_Code_UNIMPLEMENTED,
          absl::StrCat("the handler was built with XLA's headers of ", handler.headers.releases,
                       ", which have no stage ", known.name)
              .c_str());
    }
    stage = static_cast<XLA_FFI_ExecutionStage>(translated);
    return nullptr;
  }
  return runtime.MakeError(XLA_FFI_Error_Code_UNIMPLEMENTED,
                           absl::StrCat("unknown stage ", static_cast<int>(stage)).c_str());
}

// ---- Calls

ABSL_ATTRIBUTE_NOINLINE CrossVersionRuntime& ChangeRuntime(CrossVersionHandler& handler,
                                                           const XLA_FFI_Api* api) {
  CrossVersionRuntime& runtime = CrossVersionRuntime::Of(api);
  handler.runtime.store(&runtime, std::memory_order_release);
  return runtime;
}

CrossVersionRuntime& RuntimeOf(CrossVersionHandler& handler, const XLA_FFI_Api* api) {
  CrossVersionRuntime* runtime = handler.runtime.load(std::memory_order_acquire);
  if (ABSL_PREDICT_TRUE(runtime->api() == api)) return *runtime;
  return ChangeRuntime(handler, api);
}

// Returns what the wrapper returns for a call that returned an error or a future. Takes ownership
// of both.
ABSL_ATTRIBUTE_NOINLINE XLA_FFI_Error* Finish(XLA_FFI_Error* error, XLA_FFI_Future* future,
                                              CrossVersionContext& context,
                                              XLA_FFI_CallFrame& frame) {
  if (error == nullptr) return HandOverFuture(future, context, frame);
  if (future != nullptr) host::FutureObject::Abandon(future);
  const CrossVersionRuntime& runtime = *context.runtime;
  ContextPool::OfThread().Release(context);
  return ToRuntime(error, runtime);
}

// Returns what the wrapper returns for the exception that is being handled.
ABSL_ATTRIBUTE_NOINLINE XLA_FFI_Error* FinishThrown(CrossVersionContext& context) {
  const CrossVersionRuntime& runtime = *context.runtime;
  ContextPool::OfThread().Release(context);
  const bool is_xla = typed_ffi::IsXla(*runtime.api());
  const absl::Status status =
      CaughtException(is_xla ? ThreadEnd::kEndsProcess : ThreadEnd::kGoesOn);
  return runtime.MakeError(static_cast<XLA_FFI_Error_Code>(status.code()),
                           std::string(status.message()).c_str());
}

// Calls the handler at `stage`, by the handler's numbers.
inline XLA_FFI_Error* CallAt(XLA_FFI_ExecutionStage stage, CrossVersionHandler& handler,
                             CrossVersionRuntime& runtime, XLA_FFI_CallFrame& frame) {
  ContextPool& contexts = ContextPool::OfThread();
  CrossVersionContext& context = contexts.Acquire(handler, runtime, frame.ctx);
  XLA_FFI_CallFrame shown;  // field by field: clearing it first costs as much as all else
  shown.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  shown.extension_start = frame.extension_start;
  shown.api = handler.api;
  shown.ctx = context.get();
  shown.stage = stage;
  constexpr size_t kLists = offsetof(XLA_FFI_CallFrame, args);
  std::memcpy(reinterpret_cast<char*>(&shown) + kLists, reinterpret_cast<char*>(&frame) + kLists,
              XLA_FFI_CallFrame_STRUCT_SIZE - kLists);
  shown.future = nullptr;
  XLA_FFI_Error* error;
  try {
    error = handler.function(&shown);
  } catch (...) {
    return FinishThrown(context);
  }
  if (ABSL_PREDICT_FALSE(
          (reinterpret_cast<uintptr_t>(error) | reinterpret_cast<uintptr_t>(shown.future)) != 0)) {
    return Finish(error, shown.future, context, frame);
  }
  contexts.Release(context);
  return nullptr;
}

ABSL_ATTRIBUTE_NOINLINE XLA_FFI_Error* CallAtOtherStage(CrossVersionHandler& handler,
                                                        CrossVersionRuntime& runtime,
                                                        XLA_FFI_CallFrame& frame) {
  XLA_FFI_ExecutionStage stage = frame.stage;
  if (XLA_FFI_Error* error = TranslateStage(handler, runtime, stage)) return error;
  // XLA:GPU of jaxlib 0.10 and newer lists operands and results at INSTANTIATE too. Handlers built
  // with headers that do not run on later runtimes refuse more than they bind, and bind none there.
  if (stage == handler.headers.instantiate && !handler.headers.headers_run_on_later) {
    const int64_t operands = std::exchange(frame.args.size, 0);
    const int64_t results = std::exchange(frame.rets.size, 0);
    XLA_FFI_Error* error = CallAt(stage, handler, runtime, frame);
    frame.args.size = operands;
    frame.rets.size = results;
    return error;
  }
  return CallAt(stage, handler, runtime, frame);
}

}  // namespace

XLA_FFI_Error* CallCrossVersion(CrossVersionHandler& handler, XLA_FFI_CallFrame* frame) {
  if (ABSL_PREDICT_FALSE(frame->extension_start != nullptr)) {
    if (XLA_FFI_Metadata* metadata = MetadataQuery(*frame)) {
      return AnswerMetadata(handler, frame->api, *metadata);
    }
  }
  CrossVersionRuntime& runtime = RuntimeOf(handler, frame->api);
  if (ABSL_PREDICT_FALSE(frame->stage != runtime.execute())) {
    return CallAtOtherStage(handler, runtime, *frame);
  }
  return CallAt(handler.execute, handler, runtime, *frame);
}

absl::StatusOr<XLA_FFI_Handler*> GetCrossVersionWrapper(XLA_FFI_Handler* handler,
                                                        Platform platform) {
  struct Made {
    std::unique_ptr<CrossVersionHandler> handler;
    XLA_FFI_Handler* wrapper;
  };
  // Not under the lock, since it calls the handler.
  absl::StatusOr<HandlerHeaders> headers = RecognizeHeaders(handler);
  if (!headers.ok()) return headers.status();
  std::unique_ptr<CrossVersionHandler> wrapped(new CrossVersionHandler{
      handler, CrossVersionApiTable(*headers->version), *headers->version,
      static_cast<XLA_FFI_ExecutionStage>(headers->version->execute), platform,
      &CrossVersionRuntime::Of(&host::ApiTable(typed_ffi::kNewestVersion))});
  const TableLock lock;
  static auto& made = *new std::map<std::pair<XLA_FFI_Handler*, Platform>, Made>;
  const auto found = made.find({handler, platform});
  if (found != made.end()) return found->second.wrapper;
  absl::StatusOr<XLA_FFI_Handler*> wrapper = MakeTrampoline(*wrapped);
  if (!wrapper.ok()) return wrapper;
  made.emplace(std::make_pair(handler, platform), Made{std::move(wrapped), *wrapper});
  return wrapper;
}

namespace {

constexpr XLA_FFI_Handler* XLA_FFI_Handler_Bundle::*kHandlers[] = {
    &XLA_FFI_Handler_Bundle::instantiate, &XLA_FFI_Handler_Bundle::prepare,
    &XLA_FFI_Handler_Bundle::initialize, &XLA_FFI_Handler_Bundle::execute,
    &XLA_FFI_Handler_Bundle::record};

// Whether the runtime cannot say the device ordinal, and CUDA's driver can.
bool DriverSaysOrdinal(Platform platform, const RuntimeVersion* runtime) {
  constexpr auto kOrdinal = static_cast<int>(typed_ffi::ApiFunction::kDeviceOrdinal);
  return platform == Platform::kCuda && runtime != nullptr && runtime->slots[kOrdinal] == 0;
}

// Adds to `traits` those that the handler reports.
absl::StatusOr<bool> NeedsWrapper(XLA_FFI_Handler* handler, Platform platform,
                                  const RuntimeVersion* runtime, XLA_FFI_Handler_Traits& traits) {
  absl::StatusOr<HandlerHeaders> headers = RecognizeHeaders(handler);
  if (absl::IsFailedPrecondition(headers.status())) return false;  // written by hand
  if (!headers.ok()) return headers.status();
  const ReportedMetadata metadata = ReadReportedMetadata(handler, *headers->version);
  if (metadata.type_is_missing) return absl::InvalidArgumentError(kMissingType);
  traits |= metadata.traits;
  if (host::TypeRegistry::Issued(metadata.state_type_id)) return true;
  if (headers->adapts) return DriverSaysOrdinal(platform, runtime) && TakesDeviceOrdinal(handler);
  const bool makes_state = metadata.state_type_id.type_id != 0;
  return runtime == nullptr || !RunsNatively(*headers, *runtime, makes_state);
}

}  // namespace

absl::StatusOr<XLA_FFI_Handler_Bundle> AdaptHandlers(const XLA_FFI_Handler_Bundle& handlers,
                                                     Platform platform,
                                                     const RuntimeVersion* runtime,
                                                     XLA_FFI_Handler_Traits* traits) {
  bool wrap = false;
  XLA_FFI_Handler_Traits reported = 0;
  for (auto stage : kHandlers) {
    if (handlers.*stage == nullptr) continue;
    absl::StatusOr<bool> needs_wrapper = NeedsWrapper(handlers.*stage, platform, runtime, reported);
    if (!needs_wrapper.ok()) return needs_wrapper.status();
    wrap |= *needs_wrapper;
  }
  XLA_FFI_Handler_Bundle adapted = handlers;
  for (auto stage : kHandlers) {
    if (!wrap || handlers.*stage == nullptr) continue;
    absl::StatusOr<XLA_FFI_Handler*> wrapper = GetCrossVersionWrapper(handlers.*stage, platform);
    if (absl::IsFailedPrecondition(wrapper.status())) continue;  // written by hand
    if (!wrapper.ok()) return wrapper.status();
    adapted.*stage = *wrapper;
  }
  const XLA_FFI_Handler_Traits all = reported | (traits != nullptr ? *traits : 0);
  // A handler that reports its traits and runs natively is its author's own affair.
  const bool is_recorded = IsRecorded(platform, all) && handlers.execute != nullptr;
  if (all != reported || (is_recorded && adapted.execute != handlers.execute)) {
    absl::StatusOr<XLA_FFI_Handler*> execute =
        GetHandlerWithTraits(adapted.execute, all, is_recorded ? handlers.execute : nullptr);
    if (!execute.ok()) return execute.status();
    adapted.execute = *execute;
  }
  if (traits != nullptr) *traits = all;
  return adapted;
}

void KeepForGood(std::shared_ptr<const void> library) {
  if (library == nullptr) return;
  const TableLock lock;
  static auto& kept = *new std::set<std::shared_ptr<const void>>;
  kept.insert(std::move(library));
}

}  // namespace callbridge
