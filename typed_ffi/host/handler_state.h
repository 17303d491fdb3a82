// HandlerState: state that a handler sets at one stage and gets at later ones.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_HANDLER_STATE_H_
#define CALLBRIDGE_TYPED_FFI_HOST_HANDLER_STATE_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace host {

// Deletes a state. Drops an exception of the deleter. A thread's end ends the process: runtimes
// delete states where nothing may be thrown.
void DeleteState(void (*deleter)(void*), void* state);

// Owns at most one object and deletes it with its deleter. Not thread-safe while it is being set.
class HandlerState {
 public:
  HandlerState() = default;
  HandlerState(const HandlerState&) = delete;
  HandlerState& operator=(const HandlerState&) = delete;
  ~HandlerState() {
    if (deleter_ != nullptr) DeleteState(deleter_, state_);
  }

  // Takes ownership of `state` unless it fails. With a null `deleter` never deletes it. Returns
  // FAILED_PRECONDITION if there is a state already.
  absl::Status Set(XLA_FFI_TypeId type, void* state, void (*deleter)(void*));
  // Returns NOT_FOUND if there is no state, and INVALID_ARGUMENT if it is of another type.
  absl::StatusOr<void*> Get(XLA_FFI_TypeId type) const;

 private:
  bool is_set_ = false;
  XLA_FFI_TypeId type_ = {};
  void* state_ = nullptr;
  void (*deleter_)(void*) = nullptr;
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_HANDLER_STATE_H_
