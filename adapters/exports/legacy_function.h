// LegacyFunction: calls a function of an untyped ABI whose type is known at compile time.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_LEGACY_FUNCTION_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_LEGACY_FUNCTION_H_

#include <stddef.h>

#include <string>
#include <type_traits>

#include "callbridge/adapters/exports/call_error.h"
#include "callbridge/adapters/exports/export_options.h"
#include "callbridge/adapters/function_abi.h"
#include "callbridge/status_returning/custom_call_status_internal.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {
namespace exports {

// Splits a function's type into the state, its first parameter if that is a reference, and an
// untyped ABI, which has no references.
template <typename Function>
struct StateParameter {
  using State = void;
  using Untyped = Function;
  static constexpr bool kIsThere = false;
  static constexpr const char* kType = nullptr;
};
template <typename T, typename... Rest>
struct StateParameter<void(T&, Rest...)> {
  using State = std::remove_const_t<T>;
  using Untyped = void(Rest...);
  static constexpr bool kIsThere = true;
  static constexpr const char* kType = &kTypeTag<State>;
};
template <typename T, typename... Rest>
struct StateParameter<void(T&, Rest...) noexcept> : StateParameter<void(T&, Rest...)> {};

// Passes the untyped ABIs' parameters to a function of type `Function`.
template <typename Function>
struct Parameters;

template <typename First, typename Second, typename... Rest>
struct Parameters<void(First, Second, Rest...)> {
  static constexpr bool kTakesStatus = (std::is_same_v<Rest, XlaCustomCallStatus*> || ...);
  static constexpr bool kTakesMutableOpaque = (std::is_same_v<Rest, char*> || ...);
  static constexpr bool kTakesOpaque =
      kTakesMutableOpaque || (std::is_same_v<Rest, const char*> || ...);

  // `first` is `out` on Host and the stream on GPU.
  template <typename Callee>
  static void Call(Callee callee, void* first, void** pointers, const char* opaque,
                   size_t opaque_size, XlaCustomCallStatus* status) {
    using Opaque = std::conditional_t<kTakesMutableOpaque, char*, const char*>;
    const auto out_or_stream = static_cast<First>(first);
    const auto list = const_cast<Second>(pointers);
    if constexpr (kTakesOpaque && kTakesStatus) {
      callee(out_or_stream, list, const_cast<Opaque>(opaque), opaque_size, status);
    } else if constexpr (kTakesOpaque) {
      callee(out_or_stream, list, const_cast<Opaque>(opaque), opaque_size);
    } else if constexpr (kTakesStatus) {
      callee(out_or_stream, list, status);
    } else {
      callee(out_or_stream, list);
    }
  }
};
template <typename... Types>
struct Parameters<void(Types...) noexcept> : Parameters<void(Types...)> {};

template <auto function, typename Options>
struct LegacyFunction {
  static constexpr ExportOptions kOptions = Options::Get();
  static constexpr bool kDeclaredGpu = kOptions.gpu;
  using Parameter = StateParameter<std::remove_pointer_t<decltype(function)>>;
  using Function = typename Parameter::Untyped;
  using Abi = FunctionAbi<Function>;

  static_assert(!Abi::kSwapped,
                "the result comes first: a custom call on Host is void(void* out, const void** "
                "in); one sentence of XLA's documentation swaps the two, its examples do not");
  static_assert(Abi::kSwapped || Abi::kVersions.host != 0 || Abi::kVersions.gpu != 0,
                "no custom call has this type: on Host it is void(void* out, const void** in "
                "[, const char* opaque, size_t opaque_len] [, XlaCustomCallStatus*]), on GPU "
                "void(stream, void** buffers, const char* opaque, size_t opaque_len "
                "[, XlaCustomCallStatus*])");
  static_assert(!kDeclaredGpu || Abi::kVersions.gpu != 0,
                "the options say Gpu(), but the function has the type of one for Host");
  static_assert(!Parameter::kIsThere || kOptions.has_state,
                "the function takes a state: say with ExportOptions().State<make>() what makes it");
  static_assert(Parameter::kIsThere || !kOptions.has_state,
                "the options say State(), but the function takes none: a state is its first "
                "parameter, void(T& state, void* out, const void** in, ...)");
  static_assert(Parameter::kIsThere != kOptions.has_state ||
                    kOptions.state_type == Parameter::kType,
                "the make of State<make>() must return a std::unique_ptr<T> of the type that the "
                "function takes first, as T& or const T&");

  static constexpr bool kGpu = kDeclaredGpu || Abi::kVersions.host == 0;
  static constexpr bool kTakesState = Parameter::kIsThere;
  using State = typename Parameter::State;  // void if it takes none
  static constexpr bool kTakesOpaque = Parameters<Function>::kTakesOpaque;

  // Calls the function. Returns null, or its failure as an error. `state` is null if it takes none.
  static XLA_FFI_Error* Call(const XLA_FFI_Api& api, void* state, void* first, void** pointers,
                             const char* opaque, size_t opaque_size) {
#ifdef __cpp_exceptions
    try {
      return CallUnguarded(api, state, first, pointers, opaque, opaque_size);
    } catch (...) {
      return CaughtException(api);
    }
#else
    return CallUnguarded(api, state, first, pointers, opaque, opaque_size);
#endif
  }

 private:
  static XLA_FFI_Error* CallUnguarded(const XLA_FFI_Api& api, [[maybe_unused]] void* state,
                                      void* first, void** pointers, const char* opaque,
                                      size_t opaque_size) {
    if constexpr (Parameters<Function>::kTakesStatus) {
      XlaCustomCallStatus_ status;
      CallFunction(state, first, pointers, opaque, opaque_size, &status);
      if (__builtin_expect(!status.message.has_value(), true)) return nullptr;
      return CustomCallFailed(api, *status.message);
    } else {
      CallFunction(state, first, pointers, opaque, opaque_size, nullptr);
      return nullptr;
    }
  }

  static void CallFunction([[maybe_unused]] void* state, void* first, void** pointers,
                           const char* opaque, size_t opaque_size, XlaCustomCallStatus* status) {
    if constexpr (kTakesState) {
      auto& typed_state = *static_cast<typename Parameter::State*>(state);
      const auto with_state = [&](auto... rest) { function(typed_state, rest...); };
      Parameters<Function>::Call(with_state, first, pointers, opaque, opaque_size, status);
    } else {
      Parameters<Function>::Call(function, first, pointers, opaque, opaque_size, status);
    }
  }
};

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_LEGACY_FUNCTION_H_
