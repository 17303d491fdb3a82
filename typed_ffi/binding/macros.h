// The macros that define handlers for XLA, which are plain functions:
//
//   XLA_FFI_DEFINE_HANDLER(kHandler, function);                      // the binding is inferred
//   XLA_FFI_DEFINE_HANDLER(kHandler, function, binding);
//   XLA_FFI_DEFINE_HANDLER(kHandler, function, binding, {Traits::kCmdBufferCompatible});
//
// kHandler is a constant pointer to the function. The _SYMBOL form defines an exported C function
// of that name instead. What follows the name is passed to internal::MakeHandler() as it is, and
// may contain commas.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_MACROS_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_MACROS_H_

#include <initializer_list>
#include <type_traits>
#include <utility>

#include "callbridge/typed_ffi/binding/bind_to.h"
#include "callbridge/typed_ffi/binding/handler.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

template <typename Fn>
constexpr auto MakeHandler(Fn fn) {
  return InferBinding<ExecutionStage::kExecute, Fn>().Bound(std::move(fn), {});
}

template <typename Fn, ExecutionStage stage, typename... Ts>
constexpr auto MakeHandler(Fn fn, const Binding<stage, Ts...>& binding,
                           std::initializer_list<Traits> traits = {}) {
  return binding.Bound(std::move(fn), traits);
}

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

// A constant if the binding and the function are, as with literal names and no captures; otherwise
// made in the first call.
#define CALLBRIDGE_FFI_CALL_HANDLER(call_frame, ...)                                        \
  static const auto xla_ffi_bound_handler = ::xla::ffi::internal::MakeHandler(__VA_ARGS__); \
  return xla_ffi_bound_handler.Call(call_frame)

// Defines `static constexpr XLA_FFI_Handler* fn`, a constant pointer to a handler.
#define XLA_FFI_DEFINE_HANDLER(fn, ...)                                                         \
  static constexpr XLA_FFI_Handler* fn = +[](XLA_FFI_CallFrame* call_frame) -> XLA_FFI_Error* { \
    CALLBRIDGE_FFI_CALL_HANDLER(call_frame, __VA_ARGS__);                                       \
  }

// Same, by XLA's other names.
#define XLA_FFI_DEFINE_HANDLER_AUTO(fn, ...) XLA_FFI_DEFINE_HANDLER(fn, __VA_ARGS__)
#define XLA_FFI_DEFINE_HANDLER_EXPLICIT(fn, ...) XLA_FFI_DEFINE_HANDLER(fn, __VA_ARGS__)
#define XLA_FFI_DEFINE_HANDLER_EXPLICIT_WITH_TRAITS(fn, ...) XLA_FFI_DEFINE_HANDLER(fn, __VA_ARGS__)

// NOLINTBEGIN(bugprone-macro-parentheses): what is declared has no parentheses around it
// Declares the exported C function `fn`, a handler.
#define XLA_FFI_DECLARE_HANDLER_SYMBOL(fn) \
  extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* fn(XLA_FFI_CallFrame* call_frame)

// Defines the exported C function `fn`, a handler.
#define XLA_FFI_DEFINE_HANDLER_SYMBOL(fn, ...)                                                 \
  XLA_FFI_DECLARE_HANDLER_SYMBOL(fn);                                                          \
  XLA_FFI_DECLARE_HANDLER_SYMBOL(fn) { CALLBRIDGE_FFI_CALL_HANDLER(call_frame, __VA_ARGS__); } \
  static_assert(::std::is_invocable_r_v<XLA_FFI_Error*, decltype(fn), XLA_FFI_CallFrame*>,     \
                "FFI handler must return XLA_FFI_Error* and accept XLA_FFI_CallFrame*")

// Declares an exported C function that returns the address of a type's id.
#define XLA_FFI_DECLARE_TYPE_ID_SYMBOL(type_id_fn) \
  extern "C" __attribute__((visibility("default"))) XLA_FFI_TypeId* type_id_fn()

// Declares an exported C function that returns how to delete a type's objects.
#define XLA_FFI_DECLARE_TYPE_INFO_SYMBOL(type_info_fn) \
  extern "C" __attribute__((visibility("default"))) const XLA_FFI_TypeInfo* type_info_fn()
// NOLINTEND(bugprone-macro-parentheses)

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_MACROS_H_
