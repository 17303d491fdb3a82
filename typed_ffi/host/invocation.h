// Invocation: what an XLA_FFI_InvokeContext is where callbridge is the runtime. It answers what
// handlers ask through the API table.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_INVOCATION_H_
#define CALLBRIDGE_TYPED_FFI_HOST_INVOCATION_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/host/handler_state.h"
#include "callbridge/typed_ffi/host/lent.h"
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
  Invocation(const Lent& lent, const StageStates& states)
      : lent_(lent), states_(states), scratch_(lent.scratch) {}

  XLA_FFI_InvokeContext* get() { return reinterpret_cast<XLA_FFI_InvokeContext*>(this); }
  // A null context is a call that was lent nothing.
  static Invocation& Of(XLA_FFI_InvokeContext* context) {
    return context != nullptr ? *reinterpret_cast<Invocation*>(context) : OfNothing();
  }

  // The stage that is called next.
  void set_stage(XLA_FFI_ExecutionStage stage) { stage_ = stage; }

  // UNIMPLEMENTED or FAILED_PRECONDITION where it was not lent.
  absl::StatusOr<void*> Stream() const;
  absl::StatusOr<int32_t> DeviceOrdinal() const;
  absl::StatusOr<int64_t> RunId() const;
  absl::StatusOr<ThreadPool*> Threads() const;
  // NOT_FOUND where the caller has put in none of that type.
  absl::StatusOr<void*> FindUserData(XLA_FFI_TypeId type) const;
  // Null where there is none of that type.
  const XLA_FFI_Extension* FindExtension(int64_t type) const;
  // Empty where there are none.
  const XLA_FFI_Attrs& CustomOptions() const;
  CallScratch& scratch() { return scratch_; }

  // As HandlerState. FAILED_PRECONDITION where `stage` is not the one that is called, or keeps no
  // state.
  absl::Status SetState(XLA_FFI_ExecutionStage stage, XLA_FFI_TypeId type, void* state,
                        void (*deleter)(void*));
  // As HandlerState.
  absl::StatusOr<void*> GetState(XLA_FFI_ExecutionStage stage, XLA_FFI_TypeId type) const;

 private:
  static Invocation& OfNothing();

  HandlerState* StateOf(XLA_FFI_ExecutionStage stage) const;

  const Lent lent_;
  const StageStates states_;
  XLA_FFI_ExecutionStage stage_ = XLA_FFI_ExecutionStage_EXECUTE;
  CallScratch scratch_;
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_INVOCATION_H_
