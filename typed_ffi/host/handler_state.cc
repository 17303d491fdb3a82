#include "callbridge/typed_ffi/host/handler_state.h"

#include "absl/strings/str_cat.h"
#include "callbridge/abi/caught_exception.h"

namespace callbridge {
namespace host {

void DeleteState(void (*deleter)(void*), void* state) {
  try {
    deleter(state);
  } catch (...) {
    static_cast<void>(DescribeCaughtException(ThreadEnd::kEndsProcess));
  }
}

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

}  // namespace host
}  // namespace callbridge
