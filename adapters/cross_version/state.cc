#include "callbridge/adapters/cross_version/state.h"

#include <atomic>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/cross_version/outcome.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/handler_state.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "callbridge/typed_ffi/old_layouts.h"
#include "callbridge/typed_ffi/state_calls.h"

namespace callbridge {
namespace {

using host::ErrorObject;
using host::TypeRegistry;
using typed_ffi::ApiFunction;
using typed_ffi::RuntimeVersion;
using typed_ffi::StateLayout;
using namespace typed_ffi::old;  // NOLINT: struct names of XLA's

using TypeDeleter = void (*)(void*);

// ---- Types

// Returns null if the type is not registered with a deleter.
TypeDeleter FindTypeDeleter(XLA_FFI_TypeId id) {
  const auto type = TypeRegistry::OfProcess().Find(id);
  return type.has_value() ? type->deleter : nullptr;
}

// Registers a type that has no id under a name of its own: its handlers may expect an id.
void AssignTypeId(XLA_FFI_TypeId* id, TypeDeleter deleter) {
  const XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, deleter};
  // Fails if another thread was faster.
  TypeRegistry::OfProcess()
      .Register(absl::StrFormat("callbridge.unnamed.%p", id), *id, &info)
      .IgnoreError();
}

// ---- The object that the runtime keeps

struct HeldState {
  XLA_FFI_TypeId type_id;
  void* state;
  TypeDeleter deleter;
};

void DeleteHeldState(void* object) {
  const std::unique_ptr<HeldState> held(static_cast<HeldState*>(object));
  host::DeleteState(held->deleter, held->state);
}

// Gets the runtime's type id of HeldState. Returns null or the runtime's error. The name is unique
// because a process may have several copies of callbridge, with types of their own, and API tables
// that share their types.
XLA_FFI_Error* FindHeldType(CrossVersionRuntime& runtime, XLA_FFI_TypeId* id) {
  id->type_id = runtime.held_state_type().load(std::memory_order_acquire);
  if (id->type_id != 0) return nullptr;
  const std::string name = absl::StrFormat("callbridge.cross_version_state.%p.%p",
                                           reinterpret_cast<void*>(&DeleteHeldState),
                                           static_cast<const void*>(runtime.api()));
  id->type_id = reinterpret_cast<intptr_t>(&DeleteHeldState);
  XLA_FFI_Error* error = runtime.FindOwnType(name, &DeleteHeldState, id);
  if (error == nullptr) {
    runtime.held_state_type().store(id->type_id, std::memory_order_release);
  }
  return error;
}

bool HasDeletersWithTypes(const RuntimeVersion& version) {
  return version.state == StateLayout::kTypedDeleter || version.state == StateLayout::kStaged;
}

// Whether a type is registered with the runtime and not with callbridge. Its states are passed on
// as they are, since only the runtime knows the deleter.
bool IsTheRuntimes(const RuntimeVersion& headers, XLA_FFI_TypeId type_id,
                   const CrossVersionRuntime& runtime) {
  return HasDeletersWithTypes(headers) && HasDeletersWithTypes(runtime.version()) &&
         type_id.type_id != 0 && !TypeRegistry::Issued(type_id) &&
         FindTypeDeleter(type_id) == nullptr;
}

// ---- The runtime's own functions, with its structs. Both return null or its error.

XLA_FFI_Error* SetInRuntime(const CrossVersionRuntime& runtime, XLA_FFI_InvokeContext* ctx,
                            XLA_FFI_ExecutionStage stage, XLA_FFI_TypeId type_id, void* state,
                            TypeDeleter deleter) {
  if (runtime.version().state == StateLayout::kStaged) {
    XLA_FFI_State_Set_Args args = {sizeof(args), nullptr, ctx, stage, &type_id, state};
    return runtime.Find<XLA_FFI_State_Set>(ApiFunction::kStateSet)(&args);
  }
  // Runtimes that have deleters with types take the same struct without the last field.
  XLA_FFI_State_Set_Args_0_4_31 args = {sizeof(args), nullptr, ctx, &type_id, state, deleter};
  return runtime.Find<XLA_FFI_State_Set_0_4_31>(ApiFunction::kStateSet)(&args);
}

XLA_FFI_Error* GetFromRuntime(const CrossVersionRuntime& runtime, XLA_FFI_InvokeContext* ctx,
                              XLA_FFI_ExecutionStage stage, XLA_FFI_TypeId type_id, void** state) {
  if (runtime.version().state == StateLayout::kStaged) {
    XLA_FFI_State_Get_Args args = {sizeof(args), nullptr, ctx, stage, &type_id, nullptr};
    XLA_FFI_Error* error = runtime.Find<XLA_FFI_State_Get>(ApiFunction::kStateGet)(&args);
    *state = args.state;
    return error;
  }
  XLA_FFI_State_Get_Args_0_4_31 args = {sizeof(args), nullptr, ctx, &type_id, nullptr};
  XLA_FFI_Error* error = runtime.Find<XLA_FFI_State_Get_0_4_31>(ApiFunction::kStateGet)(&args);
  *state = args.state;
  return error;
}

// ----

// Returns null or an error object of error.h.
XLA_FFI_Error* CheckStage(const CrossVersionRuntime& runtime, ApiFunction function,
                          XLA_FFI_ExecutionStage stage) {
  if (runtime.version().state == StateLayout::kNone) {
    return ErrorObject::Make(XLA_FFI_Error_Code_UNIMPLEMENTED, runtime.DescribeMissing(function));
  }
  if (stage == XLA_FFI_ExecutionStage_INSTANTIATE ||
      runtime.version().state == StateLayout::kStaged) {
    return nullptr;
  }
  return ErrorObject::Make(XLA_FFI_Error_Code_UNIMPLEMENTED,
                           runtime.DescribeMissing("state of a stage other than INSTANTIATE",
                                                   typed_ffi::FirstWithState(stage)));
}

XLA_FFI_Error* ToCrossVersion(XLA_FFI_Error* error, const CrossVersionRuntime& runtime) {
  return error == nullptr ? nullptr : WrapRuntimeError(error, runtime);
}

}  // namespace

XLA_FFI_Error* SetCrossVersionState(CrossVersionContext& context, XLA_FFI_ExecutionStage stage,
                                    XLA_FFI_TypeId* type_id, void* state, TypeDeleter deleter) {
  CrossVersionRuntime& runtime = *context.runtime;
  if (XLA_FFI_Error* error = CheckStage(runtime, ApiFunction::kStateSet, stage)) return error;
  XLA_FFI_InvokeContext* const ctx = context.ctx;
  if (deleter != nullptr) {
    if (type_id->type_id == 0) AssignTypeId(type_id, deleter);
  } else if (IsTheRuntimes(context.handler->headers, *type_id, runtime)) {
    return ToCrossVersion(SetInRuntime(runtime, ctx, stage, *type_id, state, nullptr), runtime);
  } else {
    deleter = FindTypeDeleter(*type_id);
  }
  if (deleter == nullptr) {
    return ErrorObject::Make(XLA_FFI_Error_Code_FAILED_PRECONDITION,
                             "the type of the handler's state is not registered, so that it has no "
                             "deleter: register it with callbridge.jax.register_type or "
                             "callbridge_ffi_register_type, before the handler");
  }
  XLA_FFI_TypeId held_type;
  XLA_FFI_Error* error = FindHeldType(runtime, &held_type);
  if (error == nullptr) {
    auto held = std::make_unique<HeldState>(HeldState{*type_id, state, deleter});
    error = SetInRuntime(runtime, ctx, stage, held_type, held.get(), &DeleteHeldState);
    if (error == nullptr) held.release();  // NOLINT: the runtime's from now on
  }
  return ToCrossVersion(error, runtime);
}

XLA_FFI_Error* GetCrossVersionState(CrossVersionContext& context, XLA_FFI_ExecutionStage stage,
                                    XLA_FFI_TypeId type_id, void** state) {
  CrossVersionRuntime& runtime = *context.runtime;
  if (XLA_FFI_Error* error = CheckStage(runtime, ApiFunction::kStateGet, stage)) return error;
  XLA_FFI_InvokeContext* const ctx = context.ctx;
  if (IsTheRuntimes(context.handler->headers, type_id, runtime)) {
    return ToCrossVersion(GetFromRuntime(runtime, ctx, stage, type_id, state), runtime);
  }
  XLA_FFI_TypeId held_type;
  void* object = nullptr;
  XLA_FFI_Error* error = FindHeldType(runtime, &held_type);
  if (error == nullptr) error = GetFromRuntime(runtime, ctx, stage, held_type, &object);
  if (error != nullptr) return WrapRuntimeError(error, runtime);
  const auto& held = *static_cast<const HeldState*>(object);
  if (held.type_id.type_id != type_id.type_id) {
    return ErrorObject::Make(
        XLA_FFI_Error_Code_INVALID_ARGUMENT,
        absl::StrCat("the state is of the type with id ", held.type_id.type_id,
                     ", but was asked for as the type with id ", type_id.type_id));
  }
  *state = held.state;
  return nullptr;
}

XLA_FFI_Error* FindStateTypeId(const RuntimeVersion& headers, XLA_FFI_TypeId type_id,
                               CrossVersionRuntime& runtime, XLA_FFI_TypeId* id) {
  *id = type_id;
  if (type_id.type_id == 0 || IsTheRuntimes(headers, type_id, runtime)) return nullptr;
  return FindHeldType(runtime, id);
}

}  // namespace callbridge
