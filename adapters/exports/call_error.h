// Errors of exported functions: made through the runtime's API table, whatever its version.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_CALL_ERROR_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_CALL_ERROR_H_

#include <string>

#include "callbridge/abi/caught_exception.h"
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
                                       typed_ffi::Facility::kErrorCreate)(&args);
}

[[gnu::cold, gnu::noinline]] inline XLA_FFI_Error* InvalidArgument(const XLA_FFI_Api& api,
                                                                   const std::string& message) {
  return MakeError(api, XLA_FFI_Error_Code_INVALID_ARGUMENT, message);
}

// What a failure of the function itself is, on every path of callbridge.
[[gnu::cold, gnu::noinline]] inline XLA_FFI_Error* CustomCallFailed(const XLA_FFI_Api& api,
                                                                    const std::string& message) {
  return MakeError(api, XLA_FFI_Error_Code_INTERNAL, "CustomCall failed: " + message);
}

#ifdef __cpp_exceptions
// For the exception that is being handled; a thread's cancellation goes on.
[[gnu::cold, gnu::noinline]] inline XLA_FFI_Error* CaughtException(const XLA_FFI_Api& api) {
  return CustomCallFailed(api, "the target threw " + DescribeCaughtException());
}
#endif

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_CALL_ERROR_H_
