#include "callbridge/typed_ffi/host/handler_state.h"

#include "absl/strings/str_cat.h"
#include "callbridge/abi/caught_status.h"

namespace callbridge {
namespace host {

absl::Status HandlerState::Set(XLA_FFI_TypeId type, void* state, void (*deleter)(void*)) {
  if (is_set_) {
    return absl::FailedPreconditionError(
        absl::StrCat("State is already set with a type id ", type_.type_id));
  }
  is_set_ = true;
  type_ = type;
  state_ = state;
  deleter_ = deleter;
  return absl::OkStatus();
}

absl::StatusOr<void*> HandlerState::Get(XLA_FFI_TypeId type) const {
  if (!is_set_) return absl::NotFoundError("State is not set");
  if (type.type_id != type_.type_id) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Set state type id ", type_.type_id, " does not match the requested one ", type.type_id));
  }
  return state_;
}

void HandlerState::End() {
  try {
    deleter_(state_);
  } catch (...) {
    static_cast<void>(CaughtStatus());  // a thread's cancellation goes on
  }
}

}  // namespace host
}  // namespace callbridge
