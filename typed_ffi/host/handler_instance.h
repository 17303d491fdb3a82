// HandlerInstance: a handler at one call site of a program, with the state that it keeps there.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_HANDLER_INSTANCE_H_
#define CALLBRIDGE_TYPED_FFI_HOST_HANDLER_INSTANCE_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "callbridge/abi/call_buffers.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/host/call_frame.h"
#include "callbridge/typed_ffi/host/future_object.h"
#include "callbridge/typed_ffi/host/handler_state.h"
#include "callbridge/typed_ffi/host/invocation.h"
#include "callbridge/typed_ffi/host/runtime_services.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {
namespace host {

// Calls a handler as a runtime of one row of kRuntimeVersions does: INSTANTIATE once, when it is
// made; PREPARE, INITIALIZE and EXECUTE in each run, as far as the handler has them. What a handler
// returns as an error ends the run.
class HandlerInstance {
 public:
  // Calls the INSTANTIATE handler, which sees the attributes alone, in XLA's floating-point mode
  // (abi/xla_floating_point.h). `handlers` must stay callable
  // as long as this object lives. INVALID_ARGUMENT without an execute handler, UNIMPLEMENTED with
  // one for a stage that the version does not have.
  static absl::StatusOr<std::unique_ptr<HandlerInstance>> Create(
      const typed_ffi::RuntimeVersion& version, const XLA_FFI_Handler_Bundle& handlers,
      CallFrame frame, const RuntimeServices& services = {});
  HandlerInstance(const HandlerInstance&) = delete;
  HandlerInstance& operator=(const HandlerInstance&) = delete;

  // Runs the handler in the caller's floating-point mode and waits for its future, if it returns
  // one: forever, where it never completes it. PREPARE and INITIALIZE keep their state until the
  // run ends. Thread-safe as far as the handler is; allocates nothing of its own up to 256
  // arguments and results (one block above), and takes no lock but to wait.
  //
  // INVALID_ARGUMENT where the buffers' counts are not the frame's. INTERNAL where the handler
  // throws, or returns a future that the version does not have.
  absl::Status Execute(const CallBuffers& buffers, const RuntimeServices& services = {}) const;
  // The same with RECORD in EXECUTE's place. UNIMPLEMENTED where the handler has none.
  absl::Status Record(const CallBuffers& buffers, const RuntimeServices& services = {}) const;

  const CallFrame& frame() const { return frame_; }

 private:
  friend class AsyncRun;

  // What one run needs until the handler is done.
  struct Run {
    Run(const RuntimeServices& services, HandlerState* instantiate)
        : invocation(services, {instantiate, &prepare, &initialize}) {}

    HandlerState prepare;
    HandlerState initialize;
    Invocation invocation;
  };

  HandlerInstance(const typed_ffi::RuntimeVersion& version, const XLA_FFI_Handler_Bundle& handlers,
                  CallFrame frame);

  absl::Status CheckCounts(const CallBuffers& buffers) const;
  absl::Status RunToEnd(XLA_FFI_ExecutionStage last, const CallBuffers& buffers,
                        const RuntimeServices& services) const;
  // Leaves the future of the last stage in the frame.
  absl::Status CallStages(XLA_FFI_ExecutionStage last, XLA_FFI_CallFrame& frame, Run& run) const;
  absl::Status CallStage(XLA_FFI_ExecutionStage stage, XLA_FFI_CallFrame& frame,
                         Invocation& invocation) const;
  absl::Status CallStageAndWait(XLA_FFI_ExecutionStage stage, XLA_FFI_CallFrame& frame,
                                Invocation& invocation) const;

  const typed_ffi::RuntimeVersion& version_;
  const XLA_FFI_Api& api_;
  const XLA_FFI_Handler_Bundle handlers_;
  const CallFrame frame_;
  mutable HandlerState state_;  // set by INSTANTIATE alone
};

// A run that may go on when its call has returned. One at a time; it must live until it is done.
class AsyncRun {
 public:
  // Called once, the last that the run does: another one may be started then, or this be destroyed.
  using Done = void(void* user, absl::Status status);

  explicit AsyncRun(const HandlerInstance& instance);
  AsyncRun(const AsyncRun&) = delete;
  AsyncRun& operator=(const AsyncRun&) = delete;

  // As HandlerInstance::Execute(), but in XLA's floating-point mode, and without the waiting:
  // `done` is called before this returns, or on the thread that completes the handler's future;
  // never, where nobody completes it. Allocates nothing of its own.
  void Start(const CallBuffers& buffers, const RuntimeServices& services, Done* done, void* user);

 private:
  struct Waiter : FutureWaiter {
    AsyncRun* run;
  };

  absl::Status CallStages(XLA_FFI_CallFrame& frame);
  static void Ready(FutureWaiter& waiter, absl::Status status);
  void End(absl::Status status);

  const HandlerInstance& instance_;
  const std::unique_ptr<char[]> storage_;
  absl::optional<HandlerInstance::Run> run_;
  Waiter waiter_;
  Done* done_ = nullptr;
  void* user_ = nullptr;
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_HANDLER_INSTANCE_H_
