#include "callbridge/typed_ffi/host/call_handler.h"

#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/caught_exception.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/future_object.h"

namespace callbridge {
namespace host {
namespace {

absl::Status Call(XLA_FFI_Handler* handler, XLA_FFI_CallFrame& frame) {
  XLA_FFI_Error* error;
  try {
    error = handler(&frame);
  } catch (...) {
    return absl::InternalError(absl::StrCat("the handler threw ", DescribeCaughtException()));
  }
  return ABSL_PREDICT_TRUE(error == nullptr) ? absl::OkStatus() : ErrorObject::TakeStatus(error);
}

}  // namespace

absl::Status CallHandler(XLA_FFI_Handler* handler, XLA_FFI_CallFrame& frame) {
  absl::Status status = Call(handler, frame);
  if (ABSL_PREDICT_FALSE(!status.ok()) && frame.future != nullptr) {
    FutureObject::Abandon(std::exchange(frame.future, nullptr));
  }
  return status;
}

}  // namespace host
}  // namespace callbridge
