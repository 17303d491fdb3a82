// ErrorObject: an XLA_FFI_Error of callbridge's own runtime. XLA creates errors without a context,
// so one class serves every version of the API and every caller.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_ERROR_OBJECT_H_
#define CALLBRIDGE_TYPED_FFI_HOST_ERROR_OBJECT_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {
namespace host {

class ErrorObject {
 public:
  // Makes an error that the caller owns and frees with Destroy() or TakeStatus().
  static XLA_FFI_Error* Make(XLA_FFI_Error_Code code, absl::string_view message) {
    return reinterpret_cast<XLA_FFI_Error*>(new ErrorObject(code, message));
  }
  // Makes an error that stands for an object of another runtime and keeps it alive.
  static XLA_FFI_Error* Make(XLA_FFI_Error_Code code, absl::string_view message,
                             std::shared_ptr<void> origin) {
    auto* object = new ErrorObject(code, message);
    object->origin_ = std::move(origin);
    return reinterpret_cast<XLA_FFI_Error*>(object);
  }
  // Makes an error of a status; returns null if it is OK.
  static XLA_FFI_Error* Make(const absl::Status& status) {
    if (status.ok()) return nullptr;
    return Make(static_cast<XLA_FFI_Error_Code>(status.code()), status.message());
  }

  // `error` must be from Make() in this process and not null.
  static const ErrorObject& Of(const XLA_FFI_Error* error) {
    return *reinterpret_cast<const ErrorObject*>(error);
  }
  // Ignores null.
  static void Destroy(XLA_FFI_Error* error) { delete reinterpret_cast<ErrorObject*>(error); }
  // Frees the error and returns it as a status. Null is OK, and so is an error with the code OK, as
  // in XLA. An unknown code becomes UNKNOWN.
  static absl::Status TakeStatus(XLA_FFI_Error* error) {
    if (error == nullptr) return absl::OkStatus();
    const ErrorObject& object = Of(error);
    absl::Status status(static_cast<absl::StatusCode>(object.code_), object.message_);
    Destroy(error);
    return status;
  }

  // The code as it was given, even if it is unknown.
  XLA_FFI_Error_Code code() const { return code_; }
  // NUL-terminated; valid as long as the error.
  const char* message() const { return message_.c_str(); }
  // Null if the error stands for no other object.
  void* origin() const { return origin_.get(); }

 private:
  ErrorObject(XLA_FFI_Error_Code code, absl::string_view message)
      : code_(code), message_(message) {}

  const XLA_FFI_Error_Code code_;
  const std::string message_;
  std::shared_ptr<void> origin_;
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_ERROR_OBJECT_H_
