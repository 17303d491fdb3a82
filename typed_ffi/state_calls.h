// Registering types, and setting and getting state: the calls whose structs differ between
// runtimes, made with those of the runtime that is called.
//
// Each function returns what the runtime returned, null or its error; nullopt if the runtime has no
// such function.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_STATE_CALLS_H_
#define CALLBRIDGE_TYPED_FFI_STATE_CALLS_H_

#include <stddef.h>

#include <optional>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/old_layouts.h"
#include "callbridge/typed_ffi/runtime_versions.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
namespace typed_ffi {
inline namespace v1 {

// Whether runtimes of a row keep state of `stage`. Only the newest layout tells stages apart.
constexpr bool KeepsState(const RuntimeVersion& version, XLA_FFI_ExecutionStage stage) {
  return version.state == StateLayout::kStaged ||
         (version.state != StateLayout::kNone && stage == XLA_FFI_ExecutionStage_INSTANTIATE);
}

// The oldest row that keeps state of `stage`.
constexpr const RuntimeVersion& FirstWithState(XLA_FFI_ExecutionStage stage) {
  return FirstThat([stage](const RuntimeVersion& row) { return KeepsState(row, stage); });
}

// Registers a type under `name`, which must be unique. The runtime writes `*type_id` if it is 0.
// `type_info` may be null if no handler makes state of that type.
inline std::optional<XLA_FFI_Error*> RegisterType(const XLA_FFI_Api& api,
                                                  const RuntimeVersion& version,
                                                  XLA_FFI_ByteSpan name, XLA_FFI_TypeId* type_id,
                                                  const XLA_FFI_TypeInfo* type_info) {
  if (auto* call = FunctionAt<XLA_FFI_Type_Register>(api, version, ApiFunction::kTypeRegister)) {
    XLA_FFI_Type_Register_Args args = {XLA_FFI_Type_Register_Args_STRUCT_SIZE, nullptr, name,
                                       type_id, type_info};
    return call(&args);
  }
  if (auto* call =
          FunctionAt<old::XLA_FFI_TypeId_Register>(api, version, ApiFunction::kTypeIdRegister)) {
    old::XLA_FFI_TypeId_Register_Args args = {old::XLA_FFI_TypeId_Register_Args_STRUCT_SIZE,
                                              nullptr, name, type_id};
    return call(&args);
  }
  return std::nullopt;
}

// Sets the state of a stage. The runtime owns `state` if it returns null. `deleter` is passed to
// runtimes that do not get it with the type.
inline std::optional<XLA_FFI_Error*> SetState(const XLA_FFI_Api& api, const RuntimeVersion& version,
                                              XLA_FFI_InvokeContext* ctx,
                                              XLA_FFI_ExecutionStage stage, XLA_FFI_TypeId* type_id,
                                              void* state, void (*deleter)(void* state)) {
  if (!KeepsState(version, stage)) return std::nullopt;
  if (version.state == StateLayout::kStaged) {
    XLA_FFI_State_Set_Args args = {sizeof(args), nullptr, ctx, stage, type_id, state};
    auto* call = FunctionAt<XLA_FFI_State_Set>(api, version, ApiFunction::kStateSet);
    if (call != nullptr) return call(&args);
  } else if (version.state == StateLayout::kTypedDeleter) {
    old::XLA_FFI_State_Set_Args_0_8_3 args = {sizeof(args), nullptr, ctx, type_id, state};
    auto* call = FunctionAt<old::XLA_FFI_State_Set_0_8_3>(api, version, ApiFunction::kStateSet);
    if (call != nullptr) return call(&args);
  } else {
    old::XLA_FFI_State_Set_Args_0_4_31 args = {sizeof(args), nullptr, ctx, type_id, state, deleter};
    auto* call = FunctionAt<old::XLA_FFI_State_Set_0_4_31>(api, version, ApiFunction::kStateSet);
    if (call != nullptr) return call(&args);
  }
  return std::nullopt;
}

// Gets the state of a stage. Writes `*state` if the runtime returns null; a null state is valid.
inline std::optional<XLA_FFI_Error*> GetState(const XLA_FFI_Api& api, const RuntimeVersion& version,
                                              XLA_FFI_InvokeContext* ctx,
                                              XLA_FFI_ExecutionStage stage, XLA_FFI_TypeId* type_id,
                                              void** state) {
  const auto ask = [state](auto* call, auto args) -> std::optional<XLA_FFI_Error*> {
    XLA_FFI_Error* error = call(&args);
    *state = args.state;
    return error;
  };
  if (!KeepsState(version, stage)) return std::nullopt;
  if (version.state == StateLayout::kStaged) {
    if (auto* call = FunctionAt<XLA_FFI_State_Get>(api, version, ApiFunction::kStateGet)) {
      constexpr size_t kSize = XLA_FFI_State_Get_Args_STRUCT_SIZE;
      return ask(call, XLA_FFI_State_Get_Args{kSize, nullptr, ctx, stage, type_id, nullptr});
    }
  } else if (auto* call =
                 FunctionAt<old::XLA_FFI_State_Get_0_4_31>(api, version, ApiFunction::kStateGet)) {
    constexpr size_t kSize = old::XLA_FFI_State_Get_Args_0_4_31_STRUCT_SIZE;
    return ask(call, old::XLA_FFI_State_Get_Args_0_4_31{kSize, nullptr, ctx, type_id, nullptr});
  }
  return std::nullopt;
}

}  // namespace v1
}  // namespace typed_ffi
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_TYPED_FFI_STATE_CALLS_H_
