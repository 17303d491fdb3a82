// Invocation: what an XLA_FFI_InvokeContext is where callbridge is the runtime. It answers what
// handlers ask through the API table.
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

// Where each stage's state is kept; null where a stage keeps none.
struct StageStates {
  HandlerState* instantiate = nullptr;
  HandlerState* prepare = nullptr;
  HandlerState* initialize = nullptr;
};

// One call, or the stages of one run. It must live until the handler is done with it: the end of
// the future, for an asynchronous one. Thread-safe but for set_stage(), and for SetState(), which
// only a stage's own handler may call.
class Invocation {
 public:
  // `lent` is copied, and what it points to is not.
  Invocation(const RuntimeServices& services, const StageStates& states)
      : services_(services),
        states_(states),
        scratch_(services.scratch),
        caller_(services.why_no_more == nullptr ? std::thread::id() : std::this_thread::get_id()) {}

  XLA_FFI_InvokeContext* get() { return reinterpret_cast<XLA_FFI_InvokeContext*>(this); }
  // A null context is a call that was lent nothing.
  static Invocation& Of(XLA_FFI_InvokeContext* context) {
    return context != nullptr ? *reinterpret_cast<Invocation*>(context) : OfNothing();
  }

  // The stage that is called next.
  void set_stage(XLA_FFI_ExecutionStage stage) { stage_ = stage; }

  // What was not lent is UNIMPLEMENTED with RuntimeServices::why_no_more where that says so. Else
  // it is UNIMPLEMENTED or FAILED_PRECONDITION,
  absl::StatusOr<void*> Stream() const;
  absl::StatusOr<int32_t> DeviceOrdinal() const;
  absl::StatusOr<int64_t> RunId() const;
  absl::StatusOr<ThreadPool*> Threads() const;
  // Whether a task must be run at once by the thread that schedules it: there never are threads to
  // lend, and it is not the thread that called the handler, which may have returned. XLA's headers
  // put an error into diagnostics that are gone by then.
  bool MustRunTasksHere() const {
    return services_.thread_pool == nullptr && services_.why_no_more != nullptr &&
           std::this_thread::get_id() != caller_;
  }
  // NOT_FOUND where the caller has put in none of that type,
  absl::StatusOr<void*> FindUserData(XLA_FFI_TypeId type) const;
  // null where there is none of that type,
  absl::StatusOr<const XLA_FFI_Extension*> FindExtension(int64_t type) const;
  // and empty where there are none. Never null.
  absl::StatusOr<const XLA_FFI_Attrs*> CustomOptions() const;
  // As CallScratch.
  absl::StatusOr<void*> AllocateScratch(size_t size, size_t alignment);
  absl::Status FreeScratch(void* data) { return scratch_.Free(data); }

  // As HandlerState. FAILED_PRECONDITION where `stage` is not the one that is called, or keeps no
  // state.
  absl::Status SetState(XLA_FFI_ExecutionStage stage, XLA_FFI_TypeId type, void* state,
                        void (*deleter)(void*));
  // As HandlerState.
  absl::StatusOr<void*> GetState(XLA_FFI_ExecutionStage stage, XLA_FFI_TypeId type) const;

  // What becomes of `status`, with which the handler ended: UNIMPLEMENTED where it failed and had
  // asked for what cannot be lent, since XLA's headers make an INVALID_ARGUMENT of that, and
  // handlers what they like.
  absl::Status Outcome(absl::Status status) const {
    if (ABSL_PREDICT_TRUE(status.ok() || services_.why_no_more == nullptr)) return status;
    return OutcomeOfFailure(std::move(status));
  }

 private:
  static Invocation& OfNothing();

  // UNIMPLEMENTED with RuntimeServices::why_no_more, which is not null. `what` is in static
  // storage.
  absl::Status Refuse(const char* what) const;
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
