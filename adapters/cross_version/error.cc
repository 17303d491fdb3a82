#include "callbridge/adapters/cross_version/error.h"

#include <memory>
#include <utility>

#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/old_layouts.h"

namespace callbridge {
namespace {

namespace old = typed_ffi::old;
using host::ErrorObject;
using typed_ffi::ApiFunction;

// Finds the runtime's error that an error object stands for.
struct RuntimeError {
  ~RuntimeError() {
    if (error != nullptr) runtime.DestroyError(error);
  }
  XLA_FFI_Error* error;
  const CrossVersionRuntime& runtime;
};

}  // namespace

XLA_FFI_Error* WrapRuntimeError(XLA_FFI_Error* error, const CrossVersionRuntime& runtime) {
  XLA_FFI_Error_Code code = XLA_FFI_Error_Code_UNKNOWN;
  const char* message = nullptr;
  if (auto* get_details = runtime.Find<XLA_FFI_Error_GetDetails>(ApiFunction::kErrorGetDetails)) {
    XLA_FFI_Error_GetDetails_Args args = {};
    args.struct_size = XLA_FFI_Error_GetDetails_Args_STRUCT_SIZE;
    args.error = error;
    get_details(&args);
    code = args.errc;
    message = args.message;
  } else {
    old::XLA_FFI_Error_GetMessage_Args args = {};
    args.struct_size = old::XLA_FFI_Error_GetMessage_Args_STRUCT_SIZE;
    args.error = error;
    runtime.Find<old::XLA_FFI_Error_GetMessage>(ApiFunction::kErrorGetMessage)(&args);
    message = args.message;
  }
  return ErrorObject::Make(code, message == nullptr ? "" : message,
                           std::shared_ptr<RuntimeError>(new RuntimeError{error, runtime}));
}

XLA_FFI_Error* ToRuntime(XLA_FFI_Error* error, const CrossVersionRuntime& runtime) {
  const ErrorObject& object = ErrorObject::Of(error);
  auto* origin = static_cast<RuntimeError*>(object.origin());
  XLA_FFI_Error* result = origin != nullptr && &origin->runtime == &runtime
                              ? std::exchange(origin->error, nullptr)
                              : runtime.MakeError(object.code(), object.message());
  ErrorObject::Destroy(error);
  return result;
}

}  // namespace callbridge
