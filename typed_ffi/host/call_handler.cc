#include "callbridge/typed_ffi/host/call_handler.h"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <typeinfo>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/future_object.h"

namespace callbridge {
namespace host {
namespace {

std::string CurrentExceptionTypeName() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "an exception of another language";
  std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr), &std::free);
  return name != nullptr ? name.get() : type->name();
}

absl::Status CaughtException() {
  try {
    throw;
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (const std::exception& exception) {
    return absl::InternalError(
        absl::StrCat("the handler threw ", CurrentExceptionTypeName(), ": ", exception.what()));
  } catch (...) {
    return absl::InternalError(absl::StrCat("the handler threw ", CurrentExceptionTypeName()));
  }
}

absl::Status Call(XLA_FFI_Handler* handler, XLA_FFI_CallFrame& frame) {
  XLA_FFI_Error* error;
  try {
    error = handler(&frame);
  } catch (...) {
    return CaughtException();
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
