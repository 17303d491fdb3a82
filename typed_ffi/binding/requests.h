// Calls a function of the runtime, and reports an error if the runtime refuses or has no such
// function.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_REQUESTS_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_REQUESTS_H_

#include <optional>
#include <string_view>

#include "callbridge/typed_ffi/binding/api_functions.h"
#include "callbridge/typed_ffi/binding/diagnostics.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/runtime_errors.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

// Takes ownership of `error`.
inline CALLBRIDGE_FFI_COLD void EmitRefusal(DiagnosticEngine& diagnostic, const XLA_FFI_Api* api,
                                            std::string_view what, XLA_FFI_Error* error) {
  diagnostic.Emit("Failed to get ") << what << ": " << GetErrorMessage(api, error);
  DestroyError(api, error);
}

inline CALLBRIDGE_FFI_COLD void EmitMissing(DiagnosticEngine& diagnostic, const XLA_FFI_Api* api,
                                            std::string_view feature, const RuntimeVersion& first) {
  diagnostic.EmitUnimplemented(DescribeMissing(*api, feature, first));
}
CALLBRIDGE_FFI_HIDDEN inline void EmitMissing(DiagnosticEngine& diagnostic, const XLA_FFI_Api* api,
                                              std::string_view feature, ApiFunction function) {
  EmitMissing(diagnostic, api, feature, ::callbridge::typed_ffi::FirstWith(function));
}

// Returns true if the runtime answered in `args`; otherwise emits an error. `feature` is the name
// by which the user asked for it, `what` describes it.
template <ApiFunction kFunction, typename Function, typename Args>
XLA_FFI_ATTRIBUTE_ALWAYS_INLINE inline bool Ask(const XLA_FFI_Api* api, Args& args,
                                                std::string_view feature, std::string_view what,
                                                DiagnosticEngine& diagnostic) {
  Function* function = Find<kFunction, Function>(*api);
  if (XLA_FFI_PREDICT_FALSE(function == nullptr)) {
    EmitMissing(diagnostic, api, feature, kFunction);
    return false;
  }
  if (XLA_FFI_Error* error = function(&args); XLA_FFI_PREDICT_FALSE(error != nullptr)) {
    EmitRefusal(diagnostic, api, what, error);
    return false;
  }
  return true;
}

// The first API version whose runtimes have `function`.
constexpr int MinorVersionOf(ApiFunction function) {
  return ::callbridge::typed_ffi::FirstWith(function).minor;
}

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_REQUESTS_H_
