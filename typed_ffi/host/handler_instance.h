// HandlerInstance: a handler at one call site of a program, with the state of that site.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_HANDLER_INSTANCE_H_
#define CALLBRIDGE_TYPED_FFI_HOST_HANDLER_INSTANCE_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "callbridge/abi/call_site.h"
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
// created; PREPARE, INITIALIZE and EXECUTE in each run, for the stages that it has. An error of the
// handler ends the run.
class HandlerInstance {
 public:
  // Calls the INSTANTIATE handler with the attributes alone, in XLA's floating-point mode
  // (abi/xla_floating_point.h). `handlers` must stay callable as long as this object lives. Returns
  // INVALID_ARGUMENT without an execute handler, and UNIMPLEMENTED with a handler for a stage that
  // the version does not have.
  static absl::StatusOr<std::unique_ptr<HandlerInstance>> Create(
      const typed_ffi::RuntimeVersion& version, const XLA_FFI_Handler_Bundle& handlers,
      CallFrame frame, const RuntimeServices& services = {});
  HandlerInstance(const HandlerInstance&) = delete;
  HandlerInstance& operator=(const HandlerInstance&) = delete;

  // Runs the handler in the caller's floating-point mode and waits for its future, if it returns
  // one; forever if nothing completes it. State of PREPARE and INITIALIZE lives until the run ends.
  // Thread-safe if the handler is. Allocates nothing of its own up to 256 arguments and results
  // (one block above), and locks only to wait.
  //
  // Returns INVALID_ARGUMENT if the buffers' counts are not the frame's, and INTERNAL if the
  // handler throws or returns a future that the version does not have.
  absl::Status Execute(const CallBuffers& buffers, const RuntimeServices& services = {}) const;
  // Does the same with RECORD in place of EXECUTE. Returns UNIMPLEMENTED if there is no such
  // handler.
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
  // The future of the last stage is in the frame afterwards.
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

// An asynchronous run. Starts one run at a time; must live until the run is done.
class AsyncRun {
 public:
  // Called once, as the last thing that a run does: it may start another run, or destroy this
  // object.
  using Done = void(void* user, absl::Status status);

  explicit AsyncRun(const HandlerInstance& instance);
  AsyncRun(const AsyncRun&) = delete;
  AsyncRun& operator=(const AsyncRun&) = delete;

  // Like HandlerInstance::Execute(), but in XLA's floating-point mode and without waiting: calls
  // `done` before it returns, or on the thread that completes the handler's future; never if
  // nothing completes it. Allocates nothing of its own.
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
