// Errors of exported functions, made through the runtime's API table of any version.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_CALL_ERROR_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_CALL_ERROR_H_

#include <string>

#include "callbridge/abi/caught_exception.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/old_layouts.h"
#include "callbridge/typed_ffi/runtime_versions.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {
namespace exports {

[[gnu::cold, gnu::noinline]] inline XLA_FFI_Error* MakeError(const XLA_FFI_Api& api,
                                                             XLA_FFI_Error_Code code,
                                                             const std::string& message) {
  XLA_FFI_Error_Create_Args args = {};
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = message.c_str();
  args.errc = code;
  using Create = XLA_FFI_Error*(XLA_FFI_Error_Create_Args*);
  return typed_ffi::FunctionAt<Create>(api, typed_ffi::VersionOf(api),
                                       typed_ffi::ApiFunction::kErrorCreate)(&args);
}

[[gnu::cold, gnu::noinline]] inline XLA_FFI_Error* InvalidArgument(const XLA_FFI_Api& api,
                                                                   const std::string& message) {
  return MakeError(api, XLA_FFI_Error_Code_INVALID_ARGUMENT, message);
}

// Makes the error of a function that failed, the same on every path of callbridge.
[[gnu::cold, gnu::noinline]] inline XLA_FFI_Error* CustomCallFailed(const XLA_FFI_Api& api,
                                                                    const std::string& message) {
  return MakeError(api, XLA_FFI_Error_Code_INTERNAL, "CustomCall failed: " + message);
}

#ifdef __cpp_exceptions
// Makes the error of the exception that `what` threw, which is being handled. A thread's end goes
// on, or ends the process in XLA, through whose frames it must not pass.
[[gnu::cold, gnu::noinline]] inline XLA_FFI_Error* CaughtException(
    const XLA_FFI_Api& api, const char* what = "the target") {
  const auto thread_end = typed_ffi::IsXla(api) ? ThreadEnd::kEndsProcess : ThreadEnd::kGoesOn;
  return CustomCallFailed(api, what + (" threw " + DescribeCaughtException(thread_end)));
}
#endif

// Takes ownership of a runtime's error and returns its message.
[[gnu::cold, gnu::noinline]] inline std::string TakeMessage(const XLA_FFI_Api& api,
                                                            XLA_FFI_Error* error) {
  using typed_ffi::ApiFunction;
  using typed_ffi::FunctionAt;
  const typed_ffi::RuntimeVersion& version = typed_ffi::VersionOf(api);
  std::string text;
  if (auto* get_details =
          FunctionAt<XLA_FFI_Error_GetDetails>(api, version, ApiFunction::kErrorGetDetails)) {
    XLA_FFI_Error_GetDetails_Args args = {};
    args.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE;
    args.error = error;
    get_details(&args);
    if (args.message != nullptr) text = args.message;
  } else if (auto* get_message = FunctionAt<typed_ffi::old::XLA_FFI_Error_GetMessage>(
                 api, version, ApiFunction::kErrorGetMessage)) {
    typed_ffi::old::XLA_FFI_Error_GetMessage_Args args = {};
    args.struct_size = typed_ffi::old::XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE;
    args.error = error;
    get_message(&args);
    if (args.message != nullptr) text = args.message;
  }
  XLA_FFI_Error_Destroy_Args args = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  FunctionAt<XLA_FFI_Error_Destroy>(api, version, ApiFunction::kErrorDestroy)(&args);
  return text;
}

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_CALL_ERROR_H_
