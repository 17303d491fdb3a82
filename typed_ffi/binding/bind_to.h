// Handlers with an inferred binding: the types of a function's parameters say what to bind.
//
//   Error Scale(Buffer<F32> in, Result<Buffer<F32>> out, Attr<float, kFactor> factor, Dictionary);
//   auto handler = Ffi::BindTo(Scale);
//
// To support a type of your own, specialize one of the templates here.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_BIND_TO_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_BIND_TO_H_

#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

#include "callbridge/typed_ffi/binding/buffer.h"
#include "callbridge/typed_ffi/binding/dictionary.h"
#include "callbridge/typed_ffi/binding/function_params.h"
#include "callbridge/typed_ffi/binding/handler.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/registered_attributes.h"
#include "callbridge/typed_ffi/binding/remaining.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// A parameter that is the attribute `name`, a `static constexpr char[]`.
template <typename T, const char* name>
class Attr {
 public:
  // Holds the attribute's value.
  Attr(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  // Returns the value.
  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_;
};

// The types to bind for a parameter of type T, one template for each kind of parameter: void if T
// is not of that kind.
// clang-format off
template <typename T> struct ArgBinding {
  using Arg = void;  // what `.Arg<>()` takes, for an argument
};
template <typename T> struct RetBinding {
  using Ret = void;  // what `.Ret<>()` takes, for a result
};
// Same, for an attribute. Specializations also have `static constexpr std::string_view name()`.
template <typename T> struct AttrBinding {
  using Attr = void;  // what `.Attr<>(name())` takes
};
// Same, for all attributes together: a Dictionary, or a registered struct.
template <typename T> struct AttrsBinding {
  // What `.Attrs<>()` takes.
  using Attrs = std::conditional_t<internal::kIsRegisteredStruct<T>, T, void>;
};
// Same, for a part of the call's context.
template <typename T> struct CtxBinding {
  using Ctx = void;  // what `.Ctx<>()` takes
};

template <> struct ArgBinding<AnyBuffer> { using Arg = AnyBuffer; };
template <DataType dtype, size_t rank>
struct ArgBinding<Buffer<dtype, rank>> { using Arg = Buffer<dtype, rank>; };

template <> struct RetBinding<Result<AnyBuffer>> { using Ret = AnyBuffer; };
template <DataType dtype, size_t rank>
struct RetBinding<Result<Buffer<dtype, rank>>> { using Ret = Buffer<dtype, rank>; };

template <> struct AttrsBinding<Dictionary> { using Attrs = Dictionary; };
// clang-format on

template <typename T, const char* attr_name>
struct AttrBinding<Attr<T, attr_name>> {
  using Attr = T;
  static constexpr std::string_view name() { return attr_name; }
};

namespace internal {

// Returns `binding` with one more parameter, of type `Param`.
template <typename Param, typename Binding>
constexpr auto BindOne(const Binding& binding) {
  using T = std::remove_cv_t<std::remove_reference_t<Param>>;
  if constexpr (!std::is_void_v<typename ArgBinding<T>::Arg>) {
    return binding.template Arg<typename ArgBinding<T>::Arg>();
  } else if constexpr (!std::is_void_v<typename RetBinding<T>::Ret>) {
    return binding.template Ret<typename RetBinding<T>::Ret>();
  } else if constexpr (!std::is_void_v<typename AttrBinding<T>::Attr>) {
    return binding.template Attr<typename AttrBinding<T>::Attr>(AttrBinding<T>::name());
  } else if constexpr (!std::is_void_v<typename AttrsBinding<T>::Attrs>) {
    return binding.template Attrs<typename AttrsBinding<T>::Attrs>();
  } else if constexpr (!std::is_void_v<typename CtxBinding<T>::Ctx>) {
    return binding.template Ctx<typename CtxBinding<T>::Ctx>();
  } else if constexpr (std::is_same_v<T, xla::ffi::RemainingArgs>) {
    return binding.RemainingArgs();
  } else if constexpr (std::is_same_v<T, xla::ffi::RemainingRets>) {
    return binding.RemainingRets();
  } else {
    static_assert(kNever<T>,
                  "parameter is not supported for binding: it is no buffer, Result of a buffer, "
                  "Attr<T, name>, Dictionary, registered struct, RemainingArgs or RemainingRets; "
                  "specialise xla::ffi::ArgBinding, RetBinding, AttrBinding, AttrsBinding or "
                  "CtxBinding for it, or write a binding");
  }
}

template <typename Binding>
constexpr Binding BindAll(const Binding& binding, TypeList<>) {
  return binding;
}
template <typename Binding, typename Param, typename... Params>
constexpr auto BindAll(const Binding& binding, TypeList<Param, Params...>) {
  return BindAll(BindOne<Param>(binding), TypeList<Params...>());
}

template <ExecutionStage stage, typename Fn>
constexpr auto InferBinding() {
  static_assert(!std::is_same_v<ParamsOf<Fn>, UnknownParams>,
                "the parameters of a generic or overloaded function object cannot be inferred: "
                "write a binding");
  return BindAll(Binding<stage>(), ParamsOf<Fn>());
}

}  // namespace internal

template <typename Fn, ExecutionStage stage>
auto Ffi::BindTo(Fn fn, std::initializer_list<Traits> traits) {
  return internal::InferBinding<stage, Fn>().To(std::move(fn), traits);
}

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_BIND_TO_H_
