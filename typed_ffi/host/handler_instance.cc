#include "callbridge/typed_ffi/host/handler_instance.h"

#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/xla_floating_point.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "callbridge/typed_ffi/host/call_handler.h"

namespace callbridge {
namespace host {
namespace {

using typed_ffi::RuntimeVersion;

constexpr size_t kStackBuffers = 256;
constexpr size_t kStackBytes =
    sizeof(XLA_FFI_CallFrame) + kStackBuffers * (sizeof(void*) + sizeof(XLA_FFI_Buffer));

constexpr XLA_FFI_ExecutionStage kStages[] = {
    XLA_FFI_ExecutionStage_INSTANTIATE, XLA_FFI_ExecutionStage_PREPARE,
    XLA_FFI_ExecutionStage_INITIALIZE, XLA_FFI_ExecutionStage_EXECUTE,
    XLA_FFI_ExecutionStage_RECORD};
constexpr const char* kStageNames[] = {"INSTANTIATE", "PREPARE", "INITIALIZE", "EXECUTE", "RECORD"};

XLA_FFI_Handler* HandlerOf(const XLA_FFI_Handler_Bundle& handlers, XLA_FFI_ExecutionStage stage) {
  XLA_FFI_Handler* const all[] = {handlers.instantiate, handlers.prepare, handlers.initialize,
                                  handlers.execute, handlers.record};
  return all[stage];
}

int8_t NumberOf(const RuntimeVersion& version, XLA_FFI_ExecutionStage stage) {
  const int8_t all[] = {version.instantiate, version.prepare, version.initialize, version.execute,
                        version.record};
  return all[stage];
}

absl::Status CheckHandlers(const RuntimeVersion& version, const XLA_FFI_Handler_Bundle& handlers) {
  if (handlers.execute == nullptr) {
    return absl::InvalidArgumentError(
        "the handler has no EXECUTE stage, which every handler needs");
  }
  for (XLA_FFI_ExecutionStage stage : kStages) {
    if (HandlerOf(handlers, stage) == nullptr) continue;
    if (NumberOf(version, stage) != typed_ffi::kNoStage) continue;
    return absl::UnimplementedError(absl::StrCat("the handler has a stage ", kStageNames[stage],
                                                 ", which ", version.releases, " does not have"));
  }
  return absl::OkStatus();
}

}  // namespace

HandlerInstance::HandlerInstance(const RuntimeVersion& version,
                                 const XLA_FFI_Handler_Bundle& handlers, CallFrame frame)
    : version_(version), api_(ApiTable(version)), handlers_(handlers), frame_(std::move(frame)) {}

absl::StatusOr<std::unique_ptr<HandlerInstance>> HandlerInstance::Create(
    const RuntimeVersion& version, const XLA_FFI_Handler_Bundle& handlers, CallFrame frame,
    const RuntimeServices& services) {
  absl::Status checked = CheckHandlers(version, handlers);
  if (!checked.ok()) return checked;
  std::unique_ptr<HandlerInstance> instance(
      new HandlerInstance(version, handlers, std::move(frame)));
  if (handlers.instantiate != nullptr) {
    XLA_FFI_CallFrame attributes = instance->frame_.WithoutBuffers();
    Invocation invocation(services, {&instance->state_, nullptr, nullptr});
    const XlaFloatingPoint floating_point;
    absl::Status status = invocation.Outcome(
        instance->CallStageAndWait(XLA_FFI_ExecutionStage_INSTANTIATE, attributes, invocation));
    if (!status.ok()) return status;
  }
  return instance;
}

absl::Status HandlerInstance::CheckCounts(const CallBuffers& buffers) const {
  if (ABSL_PREDICT_TRUE(buffers.operands.size() == frame_.argument_count() &&
                        buffers.results.size() == frame_.result_count())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the call site has ", frame_.argument_count(), " arguments and ",
                   frame_.result_count(), " results, but the call came with ",
                   buffers.operands.size(), " and ", buffers.results.size(), " buffers"));
}

absl::Status HandlerInstance::CallStage(XLA_FFI_ExecutionStage stage, XLA_FFI_CallFrame& frame,
                                        Invocation& invocation) const {
  frame.api = &api_;
  frame.ctx = invocation.get();
  frame.stage = static_cast<XLA_FFI_ExecutionStage>(NumberOf(version_, stage));
  invocation.set_stage(stage);
  absl::Status status = CallHandler(HandlerOf(handlers_, stage), frame);
  if (ABSL_PREDICT_FALSE(frame.future != nullptr && !version_.frame_has_future)) {
    frame.future = nullptr;  // whatever it is
    return absl::InternalError(
        absl::StrCat("the handler wrote XLA_FFI_CallFrame.future, which ", version_.releases,
                     " does not have: it would overrun the runtime's object"));
  }
  return status;
}

absl::Status HandlerInstance::CallStageAndWait(XLA_FFI_ExecutionStage stage,
                                               XLA_FFI_CallFrame& frame,
                                               Invocation& invocation) const {
  absl::Status status = CallStage(stage, frame, invocation);
  if (ABSL_PREDICT_TRUE(frame.future == nullptr)) return status;
  return WaitFor(std::exchange(frame.future, nullptr));
}

absl::Status HandlerInstance::CallStages(XLA_FFI_ExecutionStage last, XLA_FFI_CallFrame& frame,
                                         Run& run) const {
  for (XLA_FFI_ExecutionStage stage :
       {XLA_FFI_ExecutionStage_PREPARE, XLA_FFI_ExecutionStage_INITIALIZE}) {
    if (ABSL_PREDICT_TRUE(HandlerOf(handlers_, stage) == nullptr)) continue;
    absl::Status status = CallStageAndWait(stage, frame, run.invocation);
    if (!status.ok()) return status;
  }
  return CallStage(last, frame, run.invocation);
}

absl::Status HandlerInstance::RunToEnd(XLA_FFI_ExecutionStage last, const CallBuffers& buffers,
                                       const RuntimeServices& services) const {
  absl::Status counts = CheckCounts(buffers);
  if (ABSL_PREDICT_FALSE(!counts.ok())) return counts;
  const auto call = [&](void* storage) {
    Run run(services, &state_);
    XLA_FFI_CallFrame& frame = frame_.Write(storage, buffers);
    absl::Status status = CallStages(last, frame, run);
    if (ABSL_PREDICT_FALSE(frame.future != nullptr)) status = WaitFor(frame.future);
    return run.invocation.Outcome(std::move(status));
  };
  const size_t size = frame_.StorageSize();
  if (ABSL_PREDICT_FALSE(size > kStackBytes)) {
    return call(std::unique_ptr<char[]>(new char[size]).get());
  }
  alignas(XLA_FFI_CallFrame) char storage[kStackBytes];
  return call(storage);
}

absl::Status HandlerInstance::Execute(const CallBuffers& buffers,
                                      const RuntimeServices& services) const {
  return RunToEnd(XLA_FFI_ExecutionStage_EXECUTE, buffers, services);
}

absl::Status HandlerInstance::Record(const CallBuffers& buffers,
                                     const RuntimeServices& services) const {
  if (handlers_.record == nullptr) {
    return absl::UnimplementedError("the handler has no RECORD stage");
  }
  return RunToEnd(XLA_FFI_ExecutionStage_RECORD, buffers, services);
}

AsyncRun::AsyncRun(const HandlerInstance& instance)
    : instance_(instance), storage_(new char[instance.frame().StorageSize()]) {
  waiter_.ready = &Ready;
  waiter_.run = this;
}

absl::Status AsyncRun::CallStages(XLA_FFI_CallFrame& frame) {
  const XlaFloatingPoint floating_point;
  return instance_.CallStages(XLA_FFI_ExecutionStage_EXECUTE, frame, *run_);
}

void AsyncRun::Start(const CallBuffers& buffers, const RuntimeServices& services, Done* done,
                     void* user) {
  done_ = done;
  user_ = user;
  absl::Status counts = instance_.CheckCounts(buffers);
  if (!counts.ok()) return End(std::move(counts));
  run_.emplace(services, &instance_.state_);
  XLA_FFI_CallFrame& frame = instance_.frame_.Write(storage_.get(), buffers);
  absl::Status status = CallStages(frame);
  if (frame.future == nullptr) return End(run_->invocation.Outcome(std::move(status)));
  absl::optional<absl::Status> result = FutureObject::Take(frame.future, waiter_);
  if (result.has_value()) End(run_->invocation.Outcome(*std::move(result)));
}

void AsyncRun::Ready(FutureWaiter& waiter, absl::Status status) {
  AsyncRun& run = *static_cast<Waiter&>(waiter).run;
  run.End(run.run_->invocation.Outcome(std::move(status)));
}

void AsyncRun::End(absl::Status status) {
  run_.reset();
  done_(user_, std::move(status));
}

}  // namespace host
}  // namespace callbridge
