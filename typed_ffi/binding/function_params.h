// The parameter types of a function pointer, a lambda, or another object with one operator().
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_FUNCTION_PARAMS_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_FUNCTION_PARAMS_H_

#include <type_traits>

#include "callbridge/typed_ffi/binding/namespace.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN
namespace internal {

template <typename... Ts>
struct TypeList {};

struct UnknownParams {};

// clang-format off
template <typename Fn> struct ParamsOfPointer;
template <typename Returned, typename... Params>
struct ParamsOfPointer<Returned (*)(Params...)> { using type = TypeList<Params...>; };
template <typename Returned, typename... Params>
struct ParamsOfPointer<Returned (*)(Params...) noexcept> { using type = TypeList<Params...>; };
template <typename Returned, typename Fn, typename... Params>
struct ParamsOfPointer<Returned (Fn::*)(Params...) const> { using type = TypeList<Params...>; };
template <typename Returned, typename Fn, typename... Params>
struct ParamsOfPointer<Returned (Fn::*)(Params...) const noexcept> {
  using type = TypeList<Params...>;
};
// clang-format on

// UnknownParams if operator() is overloaded or a template.
template <typename Fn, typename = void>
struct ParamsOfFunction {
  using type = UnknownParams;
};
template <typename Fn>
struct ParamsOfFunction<Fn, std::enable_if_t<std::is_pointer_v<Fn>>> : ParamsOfPointer<Fn> {};
template <typename Fn>
struct ParamsOfFunction<Fn, std::void_t<decltype(&Fn::operator())>>
    : ParamsOfPointer<decltype(&Fn::operator())> {};

template <typename Fn>
using ParamsOf = typename ParamsOfFunction<Fn>::type;

}  // namespace internal
CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_FUNCTION_PARAMS_H_
