// State that a handler leaves behind at one stage to find at later ones.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_HANDLER_STATE_H_
#define CALLBRIDGE_TYPED_FFI_HOST_HANDLER_STATE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace host {

// At most one object, which it owns and ends once, by the object's deleter. Not thread-safe while
// it is set.
class HandlerState {
 public:
  HandlerState() = default;
  HandlerState(const HandlerState&) = delete;
  HandlerState& operator=(const HandlerState&) = delete;
  ~HandlerState() {
    if (deleter_ != nullptr) End();
  }

  // Takes `state`, unless it fails. A null `deleter` leaves the object alone in the end.
  // FAILED_PRECONDITION where there is one already.
  absl::Status Set(XLA_FFI_TypeId type, void* state, void (*deleter)(void*));
  // NOT_FOUND where there is none, INVALID_ARGUMENT where it is of another type.
  absl::StatusOr<void*> Get(XLA_FFI_TypeId type) const;

 private:
  // What the deleter throws is dropped: nobody is there to hear of it.
  void End();

  bool is_set_ = false;
  XLA_FFI_TypeId type_ = {};
  void* state_ = nullptr;
  void (*deleter_)(void*) = nullptr;
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_HANDLER_STATE_H_
