// xla::ffi::Ffi and Binding, which define handlers:
//
// clang-format off
//   auto handler = Ffi::Bind().Arg<Buffer<F32>>().Ret<Buffer<F32>>().Attr<float>("factor").To(
//       [](Buffer<F32> in, Result<Buffer<F32>> out, float factor) {
//         ...
//         return Error::Success();
//       });
//   XLA_FFI_Error* error = handler->Call(call_frame);
// clang-format on
//
// Handlers for XLA are plain functions; the macros in macros.h define them.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_HANDLER_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_HANDLER_H_

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "callbridge/typed_ffi/binding/bound_handler.h"
#include "callbridge/typed_ffi/binding/context.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/names.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/registration.h"
#include "callbridge/typed_ffi/binding/signature.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

template <ExecutionStage stage, typename... Ts>
class Binding;

// The base of all handlers, and the start of a binding.
class Ffi {
 public:
  // Starts the binding of a handler for `stage`.
  template <ExecutionStage stage = ExecutionStage::kExecute>
  static constexpr Binding<stage> Bind();

  // Same, by the stage's name.
  static constexpr Binding<ExecutionStage::kInstantiate> BindInstantiate();
  static constexpr Binding<ExecutionStage::kPrepare> BindPrepare();
  static constexpr Binding<ExecutionStage::kInitialize> BindInitialize();
  static constexpr Binding<ExecutionStage::kExecute> BindExecute();
  static constexpr Binding<ExecutionStage::kRecord> BindRecord();

  // Binds `fn` by the types of its parameters, see bind_to.h. Returns a
  // std::unique_ptr<Handler<...>>.
  template <typename Fn, ExecutionStage stage = ExecutionStage::kExecute>
  static auto BindTo(Fn fn, std::initializer_list<Traits> traits = {});

  // A function as a type, so that the compiler can inline it.
  template <auto fn>
  struct Wrapper;
  template <typename Returned, typename... Params, Returned (*fn)(Params...)>
  struct Wrapper<fn> {
    XLA_FFI_ATTRIBUTE_ALWAYS_INLINE Returned operator()(Params... params) const {
      return fn(std::forward<Params>(params)...);
    }
  };

  virtual ~Ffi() = default;

  // Returns null for success. The caller owns an error.
  virtual XLA_FFI_Error* Call(XLA_FFI_CallFrame* call_frame) const = 0;

  // Registers `handler`, of the execute stage, or an XLA_FFI_Handler_Bundle of all stages, with the
  // runtime of `api`. `traits` are XLA_FFI_HANDLER_TRAITS_*. Returns null for success; the caller
  // owns an error. Returns UNIMPLEMENTED if the runtime has no instantiate stage and the bundle
  // does.
  template <typename Handler>
  static XLA_FFI_Error* RegisterStaticHandler(const XLA_FFI_Api* api, std::string_view name,
                                              std::string_view platform, Handler handler,
                                              XLA_FFI_Handler_Traits traits = 0) {
    return internal::RegisterStaticHandler(api, name, platform, handler, traits);
  }
  // Registers a type of state or user data under `name`, which must be unique, with the runtime of
  // `api`. The runtime writes `*type_id` if it is 0. `type_info` is an XLA_FFI_TypeInfo, its
  // address, or left out. Returns null for success; the caller owns an error. Returns UNIMPLEMENTED
  // if the runtime has no types of its own.
  template <typename... Info>
  static XLA_FFI_Error* RegisterTypeId(const XLA_FFI_Api* api, std::string_view name,
                                       XLA_FFI_TypeId* type_id, Info... type_info) {
    return internal::RegisterTypeId(api, name, type_id, type_info...);
  }
};

// A function and its binding. Immutable, so thread-safe.
template <ExecutionStage stage, typename Fn, typename... Ts>
class Handler : public Ffi {
 public:
  // For Binding::To().
  explicit Handler(internal::BoundHandler<stage, Fn, Ts...> bound) : bound_(std::move(bound)) {}

  XLA_FFI_Error* Call(XLA_FFI_CallFrame* call_frame) const override {
    return bound_.Call(call_frame);
  }

 private:
  internal::BoundHandler<stage, Fn, Ts...> bound_;
};

// The parameters of a handler's function, in order; `Ts` are their tags. Each method returns a
// longer binding.
template <ExecutionStage stage, typename... Ts>
class Binding {
  static constexpr size_t Count(internal::Role role) {
    size_t count = 0;
    for (internal::Role each : {role, internal::Access<Ts>::kRole...}) count += each == role;
    return count - 1;
  }
  static constexpr size_t kAttrs = Count(internal::Role::kAttr);

 public:
  constexpr Binding() = default;
  // For the methods below: a binding with the attributes `names`.
  constexpr explicit Binding(const internal::Names<kAttrs>& names) : names_(names) {}

  // Takes the next argument as a T: AnyBuffer or Buffer<dtype, rank>.
  template <typename T>
  constexpr auto Arg() const {
    static_assert(!internal::kIsResult<T>, "a Result<T> is bound with .Ret<T>(), not with .Arg");
    static_assert(Count(internal::Role::kOptionalArg) == 0,
                  "argument can't be passed after optional argument");
    static_assert(Count(internal::Role::kRemainingArgs) == 0,
                  "argument can't be passed after remaining arguments");
    return With<internal::ArgOf<T>>();
  }

  // Takes the next result as a Result<T>.
  template <typename T>
  constexpr auto Ret() const {
    static_assert(!internal::kIsResult<T>,
                  ".Ret<T>() takes the T of the function's Result<T>, not the Result itself");
    static_assert(Count(internal::Role::kOptionalRet) == 0,
                  "result can't be passed after optional result");
    static_assert(Count(internal::Role::kRemainingRets) == 0,
                  "result can't be passed after remaining results");
    return With<internal::RetOf<T>>();
  }

  // Takes the next argument as a std::optional<T>, empty if the call has no more.
  template <typename T>
  constexpr auto OptionalArg() const {
    static_assert(!internal::kIsResult<T>,
                  "a Result<T> is bound with .OptionalRet<T>(), not with .OptionalArg");
    static_assert(Count(internal::Role::kRemainingArgs) == 0,
                  "optional argument can't be passed after remaining arguments");
    return With<internal::OptionalArgOf<T>>();
  }

  // Takes the next result as a std::optional<Result<T>>, empty if the call has no more.
  template <typename T>
  constexpr auto OptionalRet() const {
    static_assert(!internal::kIsResult<T>,
                  ".OptionalRet<T>() takes the T of the function's Result<T>");
    static_assert(Count(internal::Role::kRemainingRets) == 0,
                  "optional result can't be passed after remaining results");
    return With<internal::OptionalRetOf<T>>();
  }

  // Takes all further arguments as one RemainingArgs.
  constexpr auto RemainingArgs() const {
    static_assert(Count(internal::Role::kRemainingArgs) == 0,
                  "remaining arguments can be passed just once");
    return With<internal::AllRemainingArgs>();
  }

  // Takes all further results as one RemainingRets.
  constexpr auto RemainingRets() const {
    static_assert(Count(internal::Role::kRemainingRets) == 0,
                  "remaining results can be passed just once");
    return With<internal::AllRemainingRets>();
  }
  // The name before API version 0.1.
  constexpr auto RemainingResults() const { return RemainingRets(); }

  // Takes a part of the call's context, as the table in context.h says.
  template <typename T = Context>
  constexpr auto Ctx() const {
    return With<internal::CtxOf<T>>();
  }

  // Takes the attribute `name` as a T, which the function gets as AttrDecoding<T>::Type. Keeps no
  // copy of the name: pass a literal, or characters that outlive the handler.
  template <typename T>
  constexpr auto Attr(std::string_view name) const {
    static_assert(Count(internal::Role::kAttrs) == 0,
                  "dictionary attributes can't be mixed with regular ones");
    return Binding<stage, Ts..., internal::AttrOf<T>>(internal::Names<kAttrs + 1>(names_, name));
  }
  template <typename T>
  constexpr auto Attr(const char* name) const {
    return Attr<T>(std::string_view(name));
  }
  // Same, for any name; keeps a copy as long as the process lives.
  template <typename T>
  auto Attr(const std::string& name) const {
    return Attr<T>(internal::KeepName(name));
  }

  // Binds all attributes together, as a Dictionary or as a registered struct.
  template <typename T = Dictionary>
  constexpr auto Attrs() const {
    static_assert(kAttrs == 0, "dictionary attributes can't be mixed with regular ones");
    static_assert(Count(internal::Role::kAttrs) == 0, "all attributes can be passed just once");
    return With<internal::AttrsOf<T>>();
  }

  // Returns a handler that calls `fn` with what was bound, in that order.
  template <typename Fn>
  std::unique_ptr<Handler<stage, Fn, Ts...>> To(Fn fn,
                                                std::initializer_list<Traits> traits = {}) const {
    return std::make_unique<Handler<stage, Fn, Ts...>>(Bound(std::move(fn), traits));
  }

  // Does the same by value, for the macros.
  template <typename Fn>
  constexpr auto Bound(Fn fn, std::initializer_list<Traits> traits) const {
    return internal::BoundHandler<stage, Fn, Ts...>(std::move(fn), names_, traits);
  }

 private:
  template <typename Tag>
  constexpr auto With() const {
    return Binding<stage, Ts..., Tag>(names_);
  }

  internal::Names<kAttrs> names_;
};

template <ExecutionStage stage>
constexpr Binding<stage> Ffi::Bind() {
  return Binding<stage>();
}
constexpr Binding<ExecutionStage::kInstantiate> Ffi::BindInstantiate() {
  return Bind<ExecutionStage::kInstantiate>();
}
constexpr Binding<ExecutionStage::kPrepare> Ffi::BindPrepare() {
  return Bind<ExecutionStage::kPrepare>();
}
constexpr Binding<ExecutionStage::kInitialize> Ffi::BindInitialize() {
  return Bind<ExecutionStage::kInitialize>();
}
constexpr Binding<ExecutionStage::kExecute> Ffi::BindExecute() {
  return Bind<ExecutionStage::kExecute>();
}
constexpr Binding<ExecutionStage::kRecord> Ffi::BindRecord() {
  return Bind<ExecutionStage::kRecord>();
}

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_HANDLER_H_
