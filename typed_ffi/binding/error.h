// xla::ffi::Error, a handler's error or success, and ErrorOr<T>, a value or an error.
//
// Success costs a handler two bytes: only an error has a message.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_ERROR_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_ERROR_H_

#include <cassert>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "callbridge/typed_ffi/binding/expected.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// The numbers of absl::StatusCode.
enum class ErrorCode : uint8_t {
  kOk = XLA_FFI_Error_Code_OK,
  kCancelled = XLA_FFI_Error_Code_CANCELLED,
  kUnknown = XLA_FFI_Error_Code_UNKNOWN,
  kInvalidArgument = XLA_FFI_Error_Code_INVALID_ARGUMENT,
  kDeadlineExceeded = XLA_FFI_Error_Code_DEADLINE_EXCEEDED,
  kNotFound = XLA_FFI_Error_Code_NOT_FOUND,
  kAlreadyExists = XLA_FFI_Error_Code_ALREADY_EXISTS,
  kPermissionDenied = XLA_FFI_Error_Code_PERMISSION_DENIED,
  kResourceExhausted = XLA_FFI_Error_Code_RESOURCE_EXHAUSTED,
  kFailedPrecondition = XLA_FFI_Error_Code_FAILED_PRECONDITION,
  kAborted = XLA_FFI_Error_Code_ABORTED,
  kOutOfRange = XLA_FFI_Error_Code_OUT_OF_RANGE,
  kUnimplemented = XLA_FFI_Error_Code_UNIMPLEMENTED,
  kInternal = XLA_FFI_Error_Code_INTERNAL,
  kUnavailable = XLA_FFI_Error_Code_UNAVAILABLE,
  kDataLoss = XLA_FFI_Error_Code_DATA_LOSS,
  kUnauthenticated = XLA_FFI_Error_Code_UNAUTHENTICATED,
};

// Success, or a code and a message. XLA reads the message up to its first NUL.
class Error {
 public:
  // Success.
  Error() noexcept : errc_(ErrorCode::kOk), has_message_(false) {}

  // An error with a code and a message.
  Error(ErrorCode errc, std::string message)
      : errc_(errc), has_message_(true), message_(std::move(message)) {}

  // Same, with the code by its name in the C API.
  Error(XLA_FFI_Error_Code errc, std::string message)
      : Error(static_cast<ErrorCode>(errc), std::move(message)) {}

  // Another error's message with a different code: Error(ErrorCode::kInternal, arg.error()).
  template <typename Code, typename Cause,
            std::enable_if_t<std::is_same_v<std::decay_t<Cause>, Error>, int> = 0>
  Error(Code errc, Cause&& cause) : Error(errc, std::forward<Cause>(cause).TakeMessage()) {}

  Error(const Error& other) : errc_(other.errc_), has_message_(other.has_message_) {
    if (has_message_) new (&message_) std::string(other.message_);
  }
  Error(Error&& other) noexcept : errc_(other.errc_), has_message_(other.has_message_) {
    if (has_message_) new (&message_) std::string(std::move(other.message_));
  }
  Error& operator=(const Error& other) { return *this = Error(other); }
  Error& operator=(Error&& other) noexcept {
    if (this != &other) {
      this->~Error();
      new (this) Error(std::move(other));
    }
    return *this;
  }
  ~Error() {
    if (has_message_) message_.~basic_string();
  }

  // Returns whether the code is OK.
  bool success() const { return errc_ == ErrorCode::kOk; }
  // Returns whether the code is not OK.
  bool failure() const { return !success(); }

  // Never empty; an optional as in XLA.
  std::optional<ErrorCode> errc() const { return errc_; }

  // Returns the message, without the code; empty for success. Valid as long as this object.
  const std::string& message() const { return has_message_ ? message_ : NoMessage(); }

  // Returns success.
  static Error Success() { return Error(); }
  // Returns an error of the code INTERNAL.
  static Error Internal(std::string message) {
    return Error(ErrorCode::kInternal, std::move(message));
  }
  // Returns an error of the code INVALID_ARGUMENT.
  static Error InvalidArgument(std::string message) {
    return Error(ErrorCode::kInvalidArgument, std::move(message));
  }

 private:
  static CALLBRIDGE_FFI_COLD const std::string& NoMessage() {
    static const std::string& empty = *new std::string();
    return empty;
  }

  const std::string& TakeMessage() const& { return message(); }
  std::string TakeMessage() && { return has_message_ ? std::move(message_) : std::string(); }

  ErrorCode errc_;
  bool has_message_;
  union {
    std::string message_;  // alive where has_message_
  };
};

// A value of type T, or an error.
template <typename T>
class ErrorOr : public Expected<T, Error> {
 public:
  using Expected<T, Error>::Expected;

  // Implicit, for `return Error::Internal("...")`. `error` must be a failure.
  ErrorOr(Error error)  // NOLINT(google-explicit-constructor)
      : Expected<T, Error>(Unexpected<Error>(std::move(error))) {
    assert(this->error().failure() && "an ErrorOr cannot be made of a success without a value");
  }
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_ERROR_H_
