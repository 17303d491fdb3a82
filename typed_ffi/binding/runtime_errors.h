// Converts errors to the runtime's and back.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_RUNTIME_ERRORS_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_RUNTIME_ERRORS_H_

#include <string>
#include <string_view>
#include <utility>

#include "callbridge/typed_ffi/binding/api_functions.h"
#include "callbridge/typed_ffi/binding/error.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

// `message` is NUL-terminated and copied. The runtime owns the error once a handler returns it.
inline CALLBRIDGE_FFI_COLD XLA_FFI_Error* CreateError(const XLA_FFI_Api* api, ErrorCode errc,
                                                      const char* message) {
  auto args = MakeArgs<XLA_FFI_Error_Create_Args>(XLA_FFI_Error_Create_Args_STRUCT_SIZE);
  args.message = message;
  args.errc = static_cast<XLA_FFI_Error_Code>(errc);
  return Find<ApiFunction::kErrorCreate, XLA_FFI_Error_Create>(*api)(&args);
}

CALLBRIDGE_FFI_HIDDEN inline XLA_FFI_Error* CreateError(const XLA_FFI_Api* api,
                                                        const Error& error) {
  return CreateError(api, *error.errc(), error.message().c_str());
}

// `error` must not be null.
CALLBRIDGE_FFI_HIDDEN inline void DestroyError(const XLA_FFI_Api* api, XLA_FFI_Error* error) {
  auto args = MakeArgs<XLA_FFI_Error_Destroy_Args>(XLA_FFI_Error_Destroy_Args_STRUCT_SIZE);
  args.error = error;
  Find<ApiFunction::kErrorDestroy, XLA_FFI_Error_Destroy> (*api)(&args);
}

struct ErrorDetails {
  XLA_FFI_Error_Code errc;  // INTERNAL where the runtime does not tell, before XLA FFI 0.4
  const char* message;      // the error's own; not null
};

CALLBRIDGE_FFI_HIDDEN inline ErrorDetails GetErrorDetails(const XLA_FFI_Api* api,
                                                          XLA_FFI_Error* error) {
  ErrorDetails details = {XLA_FFI_Error_Code_INTERNAL, nullptr};
  if (auto* get_details = Find<ApiFunction::kErrorGetDetails, XLA_FFI_Error_GetDetails>(*api)) {
    auto args = MakeArgs<XLA_FFI_Error_GetDetails_Args>(XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE);
    args.error = error;
    args.errc = details.errc;
    get_details(&args);
    details = {args.errc, args.message};
  } else if (auto* get_message =
                 Find<ApiFunction::kErrorGetMessage, old::XLA_FFI_Error_GetMessage>(*api)) {
    auto args = MakeArgs<old::XLA_FFI_Error_GetMessage_Args>(
        old::XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE);
    args.error = error;
    get_message(&args);
    details.message = args.message;
  }
  if (details.message == nullptr) details.message = "";
  return details;
}

CALLBRIDGE_FFI_HIDDEN inline const char* GetErrorMessage(const XLA_FFI_Api* api,
                                                         XLA_FFI_Error* error) {
  return GetErrorDetails(api, error).message;
}

// Takes ownership of the runtime's error and converts it.
CALLBRIDGE_FFI_HIDDEN inline Error TakeError(const XLA_FFI_Api* api, XLA_FFI_Error* error) {
  const ErrorDetails details = GetErrorDetails(api, error);
  Error taken(details.errc, details.message);
  DestroyError(api, error);
  return taken;
}

// XLA has two families of error types; code for both takes a policy such as this.
struct ErrorPolicy {
  using Status = Error;
  template <typename T>
  using StatusOr = ErrorOr<T>;

  static Error Ok() { return Error::Success(); }
  static Error FromErrorCode(XLA_FFI_Error_Code errc, std::string_view message) {
    return Error(errc, std::string(message));
  }
  static Error TakeError(const XLA_FFI_Api* api, XLA_FFI_Error* error) {
    return internal::TakeError(api, error);
  }
};

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_RUNTIME_ERRORS_H_
