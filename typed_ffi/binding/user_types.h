// User-defined types that the runtime keeps for handlers: UserData<T>, which the program's caller
// put into the context, and State<T>, which an earlier stage of the same handler returned.
//
// T has `static xla::ffi::TypeId id`, which registration sets (XLA_FFI_REGISTER_TYPE, or from
// Python jax.ffi.register_ffi_type_id / register_ffi_type).
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_USER_TYPES_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_USER_TYPES_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "callbridge/typed_ffi/binding/api_functions.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/error.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/requests.h"
#include "callbridge/typed_ffi/binding/runtime_errors.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/state_calls.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// The id of a type of state or user data, 0 until it is registered.
using TypeId = XLA_FFI_TypeId;
// How the runtime deletes a state of a type.
using TypeInfo = XLA_FFI_TypeInfo;

// An object that the program gives to its handlers, a T*. The program owns it. T has a `static
// TypeId id`.
template <typename T>
struct UserData {};

// The state that the handler of `stage` returned as ErrorOr<std::unique_ptr<T>>.
template <typename T, ExecutionStage stage = ExecutionStage::kInstantiate>
struct State {};
// The state that PREPARE's handler returned, and that which INITIALIZE's did.
template <typename T>
using Prepared = State<T, ExecutionStage::kPrepare>;
template <typename T>
using Initialized = State<T, ExecutionStage::kInitialize>;

namespace internal {

template <typename T, typename = void>
inline constexpr bool kHasTypeId = false;
template <typename T>
inline constexpr bool kHasTypeId<T, std::void_t<decltype(T::id)>> =
    std::is_same_v<decltype(T::id), TypeId>;

// Stages have XLA's numbers in all versions that tell states apart by stage.
constexpr XLA_FFI_ExecutionStage StageNumber(ExecutionStage stage) {
  return static_cast<XLA_FFI_ExecutionStage>(stage);
}

constexpr const RuntimeVersion& FirstWithState(ExecutionStage stage) {
  return ::callbridge::typed_ffi::FirstWithState(StageNumber(stage));
}

constexpr std::string_view FeatureName(ExecutionStage stage) {
  switch (stage) {
    case ExecutionStage::kInstantiate:
      return "State";
    case ExecutionStage::kPrepare:
      return "Prepared, the state of the prepare stage,";
    case ExecutionStage::kInitialize:
      return "Initialized, the state of the initialize stage,";
    default:
      return "State of this stage";
  }
}

inline constexpr char kUnregisteredType[] =
    "the type of a handler's state or user data must be registered before it is used: its "
    "`static TypeId id` is still 0";

// ---- Types that were registered without a deleter -----------------------------------------------

// XLA_FFI_REGISTER_TYPE with three arguments, as up to jaxlib 0.7, does not name a type's deleter,
// which runtimes require since 0.8. Such a type gets one of the trampolines below, which finds the
// deleter once a handler has returned the first state of that type. Lock-free; one table for each
// binary.
struct LateDeleter {
  std::atomic<const TypeId*> type_id;
  std::atomic<void (*)(void* object)> deleter;
};
CALLBRIDGE_FFI_HIDDEN inline LateDeleter late_deleters[32];
inline constexpr size_t kLateDeleters = sizeof(late_deleters) / sizeof(LateDeleter);

template <size_t i>
CALLBRIDGE_FFI_HIDDEN void DeleteLate(void* object) {
  if (auto* deleter = late_deleters[i].deleter.load(std::memory_order_acquire)) deleter(object);
}

template <size_t... is>
void (*DeleteLateAt(size_t index, std::index_sequence<is...>))(void* object) {
  static constexpr void (*kTrampolines[])(void* object) = {DeleteLate<is>...};
  return kTrampolines[index];
}

// Returns the deleter to register `type_id` with; null if the trampolines are used up.
CALLBRIDGE_FFI_HIDDEN inline void (*LateDeleterOf(const TypeId* type_id))(void* object) {
  for (size_t i = 0; i < kLateDeleters; ++i) {
    const TypeId* owner = nullptr;
    if (late_deleters[i].type_id.compare_exchange_strong(owner, type_id) || owner == type_id) {
      return DeleteLateAt(i, std::make_index_sequence<kLateDeleters>());
    }
  }
  return nullptr;
}

CALLBRIDGE_FFI_HIDDEN inline void TellLateDeleter(const TypeId* type_id,
                                                  void (*deleter)(void* object)) {
  for (LateDeleter& late : late_deleters) {
    const TypeId* owner = late.type_id.load(std::memory_order_relaxed);
    if (owner == nullptr) return;
    if (owner == type_id) late.deleter.store(deleter, std::memory_order_release);
  }
}

// ---- State --------------------------------------------------------------------------------------

// Sets the state. The runtime owns `state` if null is returned. `deleter` is passed to runtimes
// that do not get it with the type.
CALLBRIDGE_FFI_HIDDEN inline XLA_FFI_Error* SetState(const XLA_FFI_Api* api,
                                                     XLA_FFI_InvokeContext* ctx,
                                                     ExecutionStage stage, TypeId* type_id,
                                                     void* state, void (*deleter)(void* state)) {
  const RuntimeVersion& version = VersionOf(*api);
  if (version.state != StateLayout::kWithDeleter) TellLateDeleter(type_id, deleter);
  const auto answer = ::callbridge::typed_ffi::SetState(*api, version, ctx, StageNumber(stage),
                                                        type_id, state, deleter);
  if (answer.has_value()) return *answer;
  return CreateError(api, ErrorCode::kUnimplemented,
                     DescribeMissing(*api, FeatureName(stage), FirstWithState(stage)).c_str());
}

// Returns the state of `stage`. If it fails, returns null and emits an error. `found` is true if
// the state itself is null.
CALLBRIDGE_FFI_HIDDEN inline void* GetState(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                            ExecutionStage stage, TypeId* type_id,
                                            DiagnosticEngine& diagnostic, bool& found) {
  void* state = nullptr;
  const auto answer = ::callbridge::typed_ffi::GetState(*api, VersionOf(*api), ctx,
                                                        StageNumber(stage), type_id, &state);
  found = answer == nullptr;
  if (XLA_FFI_PREDICT_TRUE(found)) return state;
  if (answer.has_value()) {
    EmitRefusal(diagnostic, api, "state", *answer);
    return nullptr;
  }
  EmitMissing(diagnostic, api, FeatureName(stage), FirstWithState(stage));
  return nullptr;
}

}  // namespace internal

// The caller's data. The caller owns the T*.
template <typename T>
struct CtxDecoding<UserData<T>> {
  static_assert(internal::kHasTypeId<T>, "UserData<T>: T must have a `static xla::ffi::TypeId id`");
  using Type = T*;

  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                    DiagnosticEngine& diagnostic) {
    if (XLA_FFI_PREDICT_FALSE(T::id.type_id == 0)) {
      return diagnostic.Emit(internal::kUnregisteredType);
    }
    auto args = internal::MakeArgs<XLA_FFI_InvokeContext_Get_Args>(
        XLA_FFI_InvokeContext_Get_Args_STRUCT_SIZE);
    args.ctx = ctx;
    args.type_id = &T::id;
    if (!internal::Ask<internal::ApiFunction::kUserData, XLA_FFI_InvokeContext_Get>(
            api, args, "UserData", "user data", diagnostic)) {
      return std::nullopt;
    }
    return static_cast<T*>(args.data);
  }
};

// The runtime owns the T*, and deletes it with the executable, or after the run if the stage
// belongs to one.
template <typename T, ExecutionStage stage>
struct CtxDecoding<State<T, stage>> {
  static_assert(internal::kHasTypeId<T>, "State<T>: T must have a `static xla::ffi::TypeId id`");
  using Type = T*;
  static constexpr int kMinorVersion = internal::FirstWithState(stage).minor;

  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                    DiagnosticEngine& diagnostic) {
    if (XLA_FFI_PREDICT_FALSE(T::id.type_id == 0)) {
      return diagnostic.Emit(internal::kUnregisteredType);
    }
    bool found;
    void* state = internal::GetState(api, ctx, stage, &T::id, diagnostic, found);
    if (XLA_FFI_PREDICT_FALSE(!found)) return std::nullopt;
    return static_cast<T*>(state);
  }
};

// Lets a handler return a state, which the runtime keeps for later stages.
template <ExecutionStage stage, typename T>
struct ResultEncoding<stage, ErrorOr<std::unique_ptr<T>>> {
  static_assert(stage == ExecutionStage::kInstantiate || stage == ExecutionStage::kPrepare ||
                    stage == ExecutionStage::kInitialize,
                "only the instantiate, prepare and initialize stages can return a state");
  static_assert(internal::kHasTypeId<T>,
                "the type of a state must have a `static xla::ffi::TypeId id`");
  static constexpr int kMinorVersion = internal::FirstWithState(stage).minor;

  static XLA_FFI_TypeId state_type_id(const XLA_FFI_Api*) { return T::id; }

  static XLA_FFI_Error* Encode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                               ErrorOr<std::unique_ptr<T>> state) {
    if (XLA_FFI_PREDICT_FALSE(state.has_error())) {
      if (state.error().failure()) return internal::CreateError(api, state.error());
      return internal::CreateError(api, ErrorCode::kInternal,
                                   "the handler returned a success in place of its state");
    }
    if (XLA_FFI_PREDICT_FALSE(T::id.type_id == 0)) {
      return internal::CreateError(api, ErrorCode::kFailedPrecondition,
                                   internal::kUnregisteredType);
    }
    XLA_FFI_Error* error = internal::SetState(api, ctx, stage, &T::id, state->get(),
                                              [](void* object) { delete static_cast<T*>(object); });
    if (error == nullptr) state->release();  // NOLINT(bugprone-unused-return-value)
    return error;
  }
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_USER_TYPES_H_
