// What an XLA_FFI_Error is where callbridge is the runtime. XLA creates errors without a context,
// so one kind of object serves every version of the API and every caller.
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
  // The errors that are made are the caller's, who frees them with Destroy() or TakeStatus().
  static XLA_FFI_Error* Make(XLA_FFI_Error_Code code, absl::string_view message) {
    return reinterpret_cast<XLA_FFI_Error*>(new ErrorObject(code, message));
  }
  // One that stands for something of another runtime's, which it keeps.
  static XLA_FFI_Error* Make(XLA_FFI_Error_Code code, absl::string_view message,
                             std::shared_ptr<void> origin) {
    auto* object = new ErrorObject(code, message);
    object->origin_ = std::move(origin);
    return reinterpret_cast<XLA_FFI_Error*>(object);
  }
  // Null for OK.
  static XLA_FFI_Error* Make(const absl::Status& status) {
    if (status.ok()) return nullptr;
    return Make(static_cast<XLA_FFI_Error_Code>(status.code()), status.message());
  }

  // `error` was made by Make() in this process and is not null.
  static const ErrorObject& Of(const XLA_FFI_Error* error) {
    return *reinterpret_cast<const ErrorObject*>(error);
  }
  // Null is ignored.
  static void Destroy(XLA_FFI_Error* error) { delete reinterpret_cast<ErrorObject*>(error); }
  // Frees the error and returns what it said; null is OK, and so is an error with the code OK, as
  // in XLA. A number that is no code becomes UNKNOWN.
  static absl::Status TakeStatus(XLA_FFI_Error* error) {
    if (error == nullptr) return absl::OkStatus();
    const ErrorObject& object = Of(error);
    absl::Status status(static_cast<absl::StatusCode>(object.code_), object.message_);
    Destroy(error);
    return status;
  }

  // As it was given, even where it is no known code.
  XLA_FFI_Error_Code code() const { return code_; }
  // Ends with a NUL, and lives as long as the error.
  const char* message() const { return message_.c_str(); }
  // Null where it stands for nothing else.
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
