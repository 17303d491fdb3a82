// CallState: the state that an exported function keeps at a call site. It is made at the
// instantiate stage; the runtime owns it.
//
// Runtimes keep states of registered types alone. The type is registered when its first state is
// made, so that users need not register it.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_CALL_STATE_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_CALL_STATE_H_

#include <stddef.h>
#include <stdio.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "callbridge/adapters/exports/call_error.h"
#include "callbridge/typed_ffi/runtime_texts.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "callbridge/typed_ffi/state_calls.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {
namespace exports {

inline bool IsInstantiateStage(const XLA_FFI_CallFrame& frame) {
  const typed_ffi::RuntimeVersion& version = typed_ffi::VersionOf(*frame.api);
  return version.instantiate != typed_ffi::kNoStage &&
         frame.stage == static_cast<XLA_FFI_ExecutionStage>(version.instantiate);
}

[[gnu::cold, gnu::noinline]] inline XLA_FFI_Error* MissingState(const XLA_FFI_Api& api) {
  const auto& first = typed_ffi::FirstWithState(XLA_FFI_ExecutionStage_INSTANTIATE);
  return MakeError(api, XLA_FFI_Error_Code_UNIMPLEMENTED,
                   typed_ffi::DescribeMissing(api, "State", first));
}

// The registration of a type with one runtime. A process may have several runtimes, such as XLA:CPU
// in jaxlib and a GPU plugin. Lives as long as the process, as API tables do.
struct RegisteredType {
  const XLA_FFI_Api* api;
  const typed_ffi::RuntimeVersion* version;
  XLA_FFI_TypeId id;
  RegisteredType* next;
};

// The registrations of one type, usually with a single runtime.
class RegisteredTypes {
 public:
  // Returns null if the type is not registered. Lock-free.
  RegisteredType* Find(const XLA_FFI_Api* api) const {
    RegisteredType* type = first_.load(std::memory_order_acquire);
    while (__builtin_expect(type != nullptr && type->api != api, false)) type = type->next;
    return type;
  }

  // Registers the type if it is not registered. Returns null or the runtime's error.
  XLA_FFI_Error* FindOrRegister(const XLA_FFI_Api& api, const XLA_FFI_TypeInfo& info,
                                RegisteredType*& found) {
    const std::lock_guard<std::mutex> lock(mutex_);
    found = Find(&api);
    if (found != nullptr) return nullptr;
    auto type = std::make_unique<RegisteredType>();
    *type = {&api, &typed_ffi::VersionOf(api), {0}, first_.load(std::memory_order_relaxed)};
    // The address makes the name unique: it is never freed.
    char name[64];
    const int size = snprintf(name, sizeof(name), "callbridge.exported_state.%p",
                              static_cast<void*>(type.get()));
    const std::optional<XLA_FFI_Error*> error = typed_ffi::RegisterType(
        api, *type->version, {name, static_cast<size_t>(size)}, &type->id, &info);
    if (error != nullptr) return error.has_value() ? *error : MissingState(api);
    found = type.release();
    first_.store(found, std::memory_order_release);
    return nullptr;
  }

 private:
  std::atomic<RegisteredType*> first_{nullptr};
  std::mutex mutex_;
};

// Makes the error of a call without a state. Takes ownership of `refusal`, the runtime's error or
// null.
[[gnu::cold, gnu::noinline]] inline XLA_FFI_Error* RefuseWithoutState(const XLA_FFI_Api& api,
                                                                      XLA_FFI_Error* refusal) {
  std::string text =
      "this handler keeps a state, and none was made for this call: register the handler for the "
      "instantiate stage too, as {\"instantiate\": handler, \"execute\": handler}; an untyped call "
      "has no such stage";
  if (refusal != nullptr) text += ": " + TakeMessage(api, refusal);
  return MakeError(api, XLA_FFI_Error_Code_FAILED_PRECONDITION, text);
}

// Makes and gets states of type T.
template <typename T>
class CallState {
 public:
  // Makes a state and passes it to the runtime, which owns it. Returns null or the error.
  static XLA_FFI_Error* Make(const XLA_FFI_CallFrame& frame, void* (*make)(const char*, size_t),
                             std::string_view opaque) {
    const XLA_FFI_Api& api = *frame.api;
    std::unique_ptr<T> state;
#ifdef __cpp_exceptions
    try {
      state.reset(static_cast<T*>(make(opaque.data(), opaque.size())));
    } catch (...) {
      return CaughtException(api, "the maker of the state");
    }
#else
    state.reset(static_cast<T*>(make(opaque.data(), opaque.size())));
#endif
    if (state == nullptr) {
      return CustomCallFailed(api, "the maker of the state returned null for an opaque of " +
                                       std::to_string(opaque.size()) + " bytes");
    }
    return Keep(frame, std::move(state));
  }

  // Passes a state to the runtime, which owns it. Returns null or the error.
  static XLA_FFI_Error* Keep(const XLA_FFI_CallFrame& frame, std::unique_ptr<T> state) {
    const XLA_FFI_Api& api = *frame.api;
    RegisteredType* type = nullptr;
    if (XLA_FFI_Error* error = types_.FindOrRegister(api, kInfo, type)) return error;
    const std::optional<XLA_FFI_Error*> error =
        typed_ffi::SetState(api, *type->version, frame.ctx, XLA_FFI_ExecutionStage_INSTANTIATE,
                            &type->id, state.get(), &Delete);
    if (!error.has_value()) return MissingState(api);
    if (*error == nullptr) state.release();  // NOLINT(bugprone-unused-return-value)
    return *error;
  }

  // Returns the call's state. If it has none, returns null and writes `error`.
  [[gnu::always_inline]] static T* Get(const XLA_FFI_CallFrame& frame, XLA_FFI_Error*& error) {
    RegisteredType* type = types_.Find(frame.api);
    if (__builtin_expect(type == nullptr, false)) {
      error = RefuseUnregistered(*frame.api);
      return nullptr;
    }
    void* state = nullptr;
    const std::optional<XLA_FFI_Error*> answer =
        typed_ffi::GetState(*frame.api, *type->version, frame.ctx,
                            XLA_FFI_ExecutionStage_INSTANTIATE, &type->id, &state);
    if (__builtin_expect(answer == nullptr && state != nullptr, true)) {
      return static_cast<T*>(state);
    }
    error = answer.has_value() ? RefuseWithoutState(*frame.api, *answer) : MissingState(*frame.api);
    return nullptr;
  }

 private:
  static void Delete(void* state) { delete static_cast<T*>(state); }
  static constexpr XLA_FFI_TypeInfo kInfo = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, &Delete};

  [[gnu::cold, gnu::noinline]] static XLA_FFI_Error* RefuseUnregistered(const XLA_FFI_Api& api) {
    const bool has_state =
        typed_ffi::KeepsState(typed_ffi::VersionOf(api), XLA_FFI_ExecutionStage_INSTANTIATE);
    return has_state ? RefuseWithoutState(api, nullptr) : MissingState(api);
  }

  inline static RegisteredTypes types_;
};

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_CALL_STATE_H_
