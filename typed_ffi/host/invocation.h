// Invocation: an XLA_FFI_InvokeContext of callbridge's own runtime. The API table's functions call
// it.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_INVOCATION_H_
#define CALLBRIDGE_TYPED_FFI_HOST_INVOCATION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/host/handler_state.h"
#include "callbridge/typed_ffi/host/runtime_services.h"
#include "callbridge/typed_ffi/host/scratch_memory.h"

namespace callbridge {
namespace host {

// Where each stage keeps its state; null for a stage that keeps none.
struct StageStates {
  HandlerState* instantiate = nullptr;
  HandlerState* prepare = nullptr;
  HandlerState* initialize = nullptr;
};

// One call, or the stages of one run. Must live until the handler is done: for an asynchronous one,
// until its future is completed. Thread-safe except set_stage(), and SetState(), which only a
// stage's own handler may call.
class Invocation {
 public:
  // Copies `services`, but not what it points to.
  Invocation(const RuntimeServices& services, const StageStates& states)
      : services_(services),
        states_(states),
        scratch_(services.scratch),
        caller_(services.no_more == nullptr ? std::thread::id() : std::this_thread::get_id()) {}

  XLA_FFI_InvokeContext* get() { return reinterpret_cast<XLA_FFI_InvokeContext*>(this); }
  // A null context is a call without services.
  static Invocation& Of(XLA_FFI_InvokeContext* context) {
    return context != nullptr ? *reinterpret_cast<Invocation*>(context) : OfNothing();
  }

  // Sets the stage that is called next.
  void set_stage(XLA_FFI_ExecutionStage stage) { stage_ = stage; }

  // These return a missing service as UNIMPLEMENTED with NoMore::why, if that is set, and otherwise
  // as UNIMPLEMENTED or FAILED_PRECONDITION.
  absl::StatusOr<void*> Stream() const;
  absl::StatusOr<int32_t> DeviceOrdinal() const;
  absl::StatusOr<int64_t> RunId() const;
  absl::StatusOr<ThreadPool*> Threads() const;

  // Whether the thread that schedules a task must run it at once: there are never threads for it,
  // and this is not the thread that called the handler, which may have returned. XLA's headers
  // would write an error to diagnostics that no longer exist.
  bool MustRunTasksHere() const {
    return services_.thread_pool == nullptr && services_.no_more != nullptr &&
           std::this_thread::get_id() != caller_;
  }
  // Returns NOT_FOUND if the caller provided no user data of that type.
  absl::StatusOr<void*> FindUserData(XLA_FFI_TypeId type) const;
  // Returns null if there is no extension of that type.
  absl::StatusOr<const XLA_FFI_Extension*> FindExtension(int64_t type) const;
  // Returns empty attributes, never null, if there are no options.
  absl::StatusOr<const XLA_FFI_Attrs*> CustomOptions() const;
  // Allocates and frees as CallScratch does.
  absl::StatusOr<void*> AllocateScratch(size_t size, size_t alignment);
  absl::Status FreeScratch(void* data) { return scratch_.Free(data); }

  // Sets the state as HandlerState does. Returns FAILED_PRECONDITION if `stage` is not the one
  // being called, or keeps no state.
  absl::Status SetState(XLA_FFI_ExecutionStage stage, XLA_FFI_TypeId type, void* state,
                        void (*deleter)(void*));
  // Gets the state as HandlerState does.
  absl::StatusOr<void*> GetState(XLA_FFI_ExecutionStage stage, XLA_FFI_TypeId type) const;

  // Returns the run's status, given the handler's: UNIMPLEMENTED if the handler failed after asking
  // for a service that the caller can never provide, since XLA's headers turn that into
  // INVALID_ARGUMENT, and handlers into anything.
  absl::Status Outcome(absl::Status status) const {
    if (ABSL_PREDICT_TRUE(status.ok() || services_.no_more == nullptr)) return status;
    return OutcomeOfFailure(std::move(status));
  }

 private:
  static Invocation& OfNothing();

  // Returns UNIMPLEMENTED with NoMore::why, which must not be null. `what` must be in static
  // storage.
  absl::Status Refuse(const char* what) const;
  absl::StatusOr<int32_t> FindDeviceOrdinal(const char* what) const;
  absl::Status OutcomeOfFailure(absl::Status status) const;

  HandlerState* StateOf(XLA_FFI_ExecutionStage stage) const;

  const RuntimeServices services_;
  const StageStates states_;
  XLA_FFI_ExecutionStage stage_ = XLA_FFI_ExecutionStage_EXECUTE;
  CallScratch scratch_;
  const std::thread::id caller_;                       // where MustRunTasksHere() needs it
  mutable std::atomic<const char*> refused_{nullptr};  // what was refused last
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_INVOCATION_H_
