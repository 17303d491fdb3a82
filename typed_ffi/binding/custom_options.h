// CustomOptions: the options of a run, apart from the call's attributes, `.Ctx<CustomOptions>()`.
// The handler's function takes a Dictionary.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_CUSTOM_OPTIONS_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_CUSTOM_OPTIONS_H_

#include <optional>

#include "callbridge/typed_ffi/binding/api_functions.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/dictionary.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/requests.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// The options of the run, a Dictionary.
struct CustomOptions {};

// Empty if the run has no options. Valid until the handler returns, even if it returns a future.
template <>
struct CtxDecoding<CustomOptions> {
  using Type = Dictionary;
  static constexpr int kMinorVersion =
      internal::MinorVersionOf(internal::ApiFunction::kCustomOptions);

  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                    DiagnosticEngine& diagnostic) {
    auto args = internal::MakeArgs<XLA_FFI_CustomOptions_Get_Args>(
        XLA_FFI_CustomOptions_Get_Args_STRUCT_SIZE);
    args.ctx = ctx;
    if (!internal::Ask<internal::ApiFunction::kCustomOptions, XLA_FFI_CustomOptions_Get>(
            api, args, "CustomOptions", "custom options", diagnostic)) {
      return std::nullopt;
    }
    static constexpr XLA_FFI_Attrs kNone = {
        XLA_FFI_Attrs_STRUCT_SIZE, nullptr, 0, nullptr, nullptr, nullptr};
    return Dictionary(args.attrs != nullptr ? args.attrs : &kNone);
  }
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_CUSTOM_OPTIONS_H_
