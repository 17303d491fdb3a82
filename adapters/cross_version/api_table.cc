#include "callbridge/adapters/cross_version/api_table.h"

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/adapters/cross_version/context.h"
#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/cross_version/outcome.h"
#include "callbridge/adapters/cross_version/state.h"
#include "callbridge/cuda/stream.h"
#include "callbridge/typed_ffi/api_table_builder.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/future_object.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "callbridge/typed_ffi/old_layouts.h"

namespace callbridge {
namespace {

using host::ErrorObject;
using host::FutureObject;
using host::TypeRegistry;
using typed_ffi::ApiFunction;
using typed_ffi::ApiSlot;
using typed_ffi::ApiTable;
using typed_ffi::RuntimeVersion;
using typed_ffi::StateLayout;

XLA_FFI_Error* Missing(const CrossVersionRuntime& runtime, ApiFunction function) {
  return ErrorObject::Make(XLA_FFI_Error_Code_UNIMPLEMENTED, runtime.DescribeMissing(function));
}

// ---- Without a call of the runtime

XLA_FFI_Error* CreateError(XLA_FFI_Error_Create_Args* args) {
  return ErrorObject::Make(args->errc, args->message);
}

void GetErrorMessage(typed_ffi::old::XLA_FFI_Error_GetMessage_Args* args) {
  args->message = ErrorObject::Of(args->error).message();
}

void GetErrorDetails(XLA_FFI_Error_GetDetails_Args* args) {
  args->message = ErrorObject::Of(args->error).message();
  args->errc = ErrorObject::Of(args->error).code();
}

void DestroyError(XLA_FFI_Error_Destroy_Args* args) { ErrorObject::Destroy(args->error); }

XLA_FFI_Error* RegisterHandler(XLA_FFI_Handler_Register_Args*) {
  return ErrorObject::Make(
      XLA_FFI_Error_Code_UNIMPLEMENTED,
      "a handler that runs through callbridge cannot call XLA_FFI_Handler_Register: "
      "register with callbridge");
}

XLA_FFI_Error* RegisterTypeId(typed_ffi::old::XLA_FFI_TypeId_Register_Args* args) {
  return ErrorObject::Make(TypeRegistry::OfProcess().Register({args->name.ptr, args->name.len},
                                                              *args->type_id, nullptr));
}

XLA_FFI_Error* RegisterType(XLA_FFI_Type_Register_Args* args) {
  return ErrorObject::Make(TypeRegistry::OfProcess().Register({args->name.ptr, args->name.len},
                                                              *args->type_id, args->type_info));
}

XLA_FFI_Error* CreateFuture(XLA_FFI_Future_Create_Args* args) {
  args->future = FutureObject::Create();
  return nullptr;
}

XLA_FFI_Error* SetFutureAvailable(XLA_FFI_Future_SetAvailable_Args* args) {
  return ErrorObject::Make(FutureObject::Complete(args->future, absl::OkStatus()));
}

XLA_FFI_Error* SetFutureError(XLA_FFI_Future_SetError_Args* args) {
  return ErrorObject::Make(
      FutureObject::Complete(args->future, ErrorObject::TakeStatus(args->error)));
}

// ---- By the runtime's function, with the handler's struct, whose layout never changed

template <ApiFunction kFunction, typename Args>
XLA_FFI_Error* Forward(Args* args) {
  XLA_FFI_InvokeContext* const own = args->ctx;
  const CrossVersionContext& context = CrossVersionContext::Of(own);
  const CrossVersionRuntime& runtime = *context.runtime;
  auto* function = runtime.Find<XLA_FFI_Error*(Args*)>(kFunction);
  if (function == nullptr) return Missing(runtime, kFunction);
  XLA_FFI_InvokeContext* const ctx = context.ctx;
  if (ctx == nullptr) {
    return ErrorObject::Make(
        XLA_FFI_Error_Code_UNAVAILABLE,
        std::string(ApiFunctionName(kFunction)) + " was called after the handler had returned");
  }
  args->ctx = ctx;
  XLA_FFI_Error* error = function(args);
  args->ctx = own;
  return error == nullptr ? nullptr : WrapRuntimeError(error, runtime);
}

// ---- By the runtime's function, with changes

// Refuses scratch memory, user data and state on an XLA:CPU without context, which has the
// functions and crashes in them, and never calls INSTANTIATE. Returns null elsewhere.
XLA_FFI_Error* RefuseWithoutCpuContext(const CrossVersionContext& context, const char* what) {
  const bool crashes =
      !context.runtime->version().cpu_has_context && context.handler->platform == Platform::kHost;
  if (!crashes) return nullptr;
  return ErrorObject::Make(
      XLA_FFI_Error_Code_UNIMPLEMENTED,
      context.runtime->DescribeMissing(what, typed_ffi::FirstWithCpuContext()));
}

// A type whose id callbridge gave out has another id in other runtimes, under the same name.
XLA_FFI_Error* GetUserData(XLA_FFI_InvokeContext_Get_Args* args) {
  const CrossVersionContext& context = CrossVersionContext::Of(args->ctx);
  if (XLA_FFI_Error* error = RefuseWithoutCpuContext(context, "user data on the CPU")) return error;
  CrossVersionRuntime& runtime = *context.runtime;
  XLA_FFI_TypeId* const own = args->type_id;
  const auto type = TypeRegistry::OfProcess().Find(*own);
  if (!type.has_value() || !TypeRegistry::Issued(*own) || runtime.is_callbridge()) {
    return Forward<ApiFunction::kUserData>(args);
  }
  XLA_FFI_TypeId id = *own;
  XLA_FFI_Error* error = runtime.FindType(type->name, type->deleter, &id);
  if (error != nullptr) return WrapRuntimeError(error, runtime);
  args->type_id = &id;
  error = Forward<ApiFunction::kUserData>(args);
  args->type_id = own;
  return error;
}

XLA_FFI_Error* AllocateScratch(XLA_FFI_DeviceMemory_Allocate_Args* args) {
  const CrossVersionContext& context = CrossVersionContext::Of(args->ctx);
  if (XLA_FFI_Error* error = RefuseWithoutCpuContext(context, "scratch memory on the CPU"))
    return error;
  return Forward<ApiFunction::kScratchAllocate>(args);
}

// Runs the task on this thread if the runtime has no thread pool, or if the handler has returned,
// so that the runtime's context is gone. XLA's headers could not take an error then: they put it
// into diagnostics that are gone too.
XLA_FFI_Error* ScheduleTask(XLA_FFI_ThreadPool_Schedule_Args* args) {
  const CrossVersionContext& context = CrossVersionContext::Of(args->ctx);
  constexpr auto kSchedule = static_cast<int>(ApiFunction::kThreadPoolSchedule);
  if (context.ctx.load() != nullptr && context.runtime->version().slots[kSchedule] != 0) {
    return Forward<ApiFunction::kThreadPoolSchedule>(args);
  }
  args->task(args->data);
  return nullptr;
}

// A runtime older than the function has the stream, and CUDA knows a stream's device.
XLA_FFI_Error* GetDeviceOrdinal(XLA_FFI_DeviceOrdinal_Get_Args* args) {
  const CrossVersionContext& context = CrossVersionContext::Of(args->ctx);
  constexpr auto kOrdinal = static_cast<int>(ApiFunction::kDeviceOrdinal);
  if (context.runtime->version().slots[kOrdinal] != 0 ||
      context.handler->platform != Platform::kCuda) {
    return Forward<ApiFunction::kDeviceOrdinal>(args);
  }
  XLA_FFI_Stream_Get_Args stream = {};
  stream.struct_size = XLA_FFI_Stream_Get_Args_STRUCT_SIZE;
  stream.ctx = args->ctx;
  if (XLA_FFI_Error* error = Forward<ApiFunction::kStream>(&stream)) return error;
  const absl::StatusOr<int32_t> found = cuda::FindDeviceOrdinal(stream.stream);
  if (found.ok()) {
    args->device_ordinal = *found;
    return nullptr;
  }
  return ErrorObject::Make(
      XLA_FFI_Error_Code_UNIMPLEMENTED,
      absl::StrCat(context.runtime->DescribeMissing(ApiFunction::kDeviceOrdinal),
                   ", and the CUDA driver does not say it: ", found.status().message()));
}

XLA_FFI_Error* SetStateWithDeleter(typed_ffi::old::XLA_FFI_State_Set_Args_0_4_31* args) {
  return SetCrossVersionState(CrossVersionContext::Of(args->ctx),
                              XLA_FFI_ExecutionStage_INSTANTIATE, args->type_id, args->state,
                              args->deleter);
}

XLA_FFI_Error* SetTypedState(typed_ffi::old::XLA_FFI_State_Set_Args_0_8_3* args) {
  return SetCrossVersionState(CrossVersionContext::Of(args->ctx),
                              XLA_FFI_ExecutionStage_INSTANTIATE, args->type_id, args->state,
                              nullptr);
}

XLA_FFI_Error* SetStagedState(XLA_FFI_State_Set_Args* args) {
  return SetCrossVersionState(CrossVersionContext::Of(args->ctx), args->stage, args->type_id,
                              args->state, nullptr);
}

XLA_FFI_Error* GetUnstagedState(typed_ffi::old::XLA_FFI_State_Get_Args_0_4_31* args) {
  const CrossVersionContext& context = CrossVersionContext::Of(args->ctx);
  if (XLA_FFI_Error* error = RefuseWithoutCpuContext(context, "state on the CPU")) return error;
  return GetCrossVersionState(CrossVersionContext::Of(args->ctx),
                              XLA_FFI_ExecutionStage_INSTANTIATE, *args->type_id, &args->state);
}

XLA_FFI_Error* GetStagedState(XLA_FFI_State_Get_Args* args) {
  const CrossVersionContext& context = CrossVersionContext::Of(args->ctx);
  if (XLA_FFI_Error* error = RefuseWithoutCpuContext(context, "state on the CPU")) return error;
  return GetCrossVersionState(CrossVersionContext::Of(args->ctx), args->stage, *args->type_id,
                              &args->state);
}

// ---- Slots 144 to 168 of version 0.1, where jaxlib 0.4.34's futures lie one slot lower than in
// all that followed

template <typename Args>
XLA_FFI_Error* As(XLA_FFI_Error* (*function)(Args*), void* args) {
  return function(static_cast<Args*>(args));
}

XLA_FFI_Error* CreateFutureOrNumThreads(void* args) {
  if (*static_cast<size_t*>(args) == XLA_FFI_Future_Create_Args_STRUCT_SIZE) {
    return As(&CreateFuture, args);
  }
  return As(&Forward<ApiFunction::kThreadPoolNumThreads, XLA_FFI_ThreadPool_NumThreads_Args>, args);
}

XLA_FFI_Error* CreateFutureOrSetAvailable(void* args) {
  if (*static_cast<size_t*>(args) == XLA_FFI_Future_Create_Args_STRUCT_SIZE) {
    return As(&CreateFuture, args);
  }
  return As(&SetFutureAvailable, args);
}

XLA_FFI_Error* SetAvailableOrError(void* args) {
  if (*static_cast<size_t*>(args) == XLA_FFI_Future_SetAvailable_Args_STRUCT_SIZE) {
    return As(&SetFutureAvailable, args);
  }
  return As(&SetFutureError, args);
}

// ---- The tables

ApiSlot FunctionFor(ApiFunction function, const RuntimeVersion& headers) {
  switch (function) {
    case ApiFunction::kErrorCreate:
      return &CreateError;
    case ApiFunction::kErrorGetMessage:
      return &GetErrorMessage;
    case ApiFunction::kErrorGetDetails:
      return &GetErrorDetails;
    case ApiFunction::kErrorDestroy:
      return &DestroyError;
    case ApiFunction::kHandlerRegister:
      return &RegisterHandler;
    case ApiFunction::kStream:
      return &Forward<ApiFunction::kStream, XLA_FFI_Stream_Get_Args>;
    case ApiFunction::kTypeIdRegister:
      return &RegisterTypeId;
    case ApiFunction::kTypeRegister:
      return &RegisterType;
    case ApiFunction::kUserData:
      return &GetUserData;
    case ApiFunction::kStateSet:
      if (headers.state == StateLayout::kWithDeleter) return &SetStateWithDeleter;
      if (headers.state == StateLayout::kTypedDeleter) return &SetTypedState;
      return &SetStagedState;
    case ApiFunction::kStateGet:
      if (headers.state == StateLayout::kStaged) return &GetStagedState;
      return &GetUnstagedState;
    case ApiFunction::kScratchAllocate:
      return &AllocateScratch;
    case ApiFunction::kScratchFree:
      return &Forward<ApiFunction::kScratchFree, XLA_FFI_DeviceMemory_Free_Args>;
    case ApiFunction::kThreadPoolSchedule:
      return &ScheduleTask;
    case ApiFunction::kThreadPoolNumThreads:
      return &Forward<ApiFunction::kThreadPoolNumThreads, XLA_FFI_ThreadPool_NumThreads_Args>;
    case ApiFunction::kFutureCreate:
      return &CreateFuture;
    case ApiFunction::kFutureSetAvailable:
      return &SetFutureAvailable;
    case ApiFunction::kFutureSetError:
      return &SetFutureError;
    case ApiFunction::kRunId:
      return &Forward<ApiFunction::kRunId, XLA_FFI_RunId_Get_Args>;
    case ApiFunction::kDeviceOrdinal:
      return &GetDeviceOrdinal;
    case ApiFunction::kExtensions:
      return &Forward<ApiFunction::kExtensions, XLA_FFI_InvokeContext_FindExtension_Args>;
    case ApiFunction::kCustomOptions:
      return &Forward<ApiFunction::kCustomOptions, XLA_FFI_CustomOptions_Get_Args>;
  }
  return {};
}

// Headers of the ambiguous rows get one table that serves all of these: the newest of them, with
// functions in the slots of the first one's futures that tell by the argument which one was meant.
// There are rows without futures before it.
ApiTable MakeTable(const RuntimeVersion& headers) {
  ApiTable table = MakeApiTable(
      headers, [&headers](ApiFunction function) { return FunctionFor(function, headers); });
  if (headers.headers_are_ambiguous) {
    const RuntimeVersion* first = &typed_ffi::FirstWithAmbiguousHeaders();
    while (!first->frame_has_future) ++first;
    SlotOf(table.slots, *first, ApiFunction::kFutureCreate) = &CreateFutureOrNumThreads;
    SlotOf(table.slots, *first, ApiFunction::kFutureSetAvailable) = &CreateFutureOrSetAvailable;
    SlotOf(table.slots, *first, ApiFunction::kFutureSetError) = &SetAvailableOrError;
  }
  return table;
}

}  // namespace

const XLA_FFI_Api* CrossVersionApiTable(const RuntimeVersion& headers) {
  static const auto& tables = *[] {
    auto* made = new std::vector<ApiTable>;
    for (const RuntimeVersion& row : typed_ffi::kRuntimeVersions) made->push_back(MakeTable(row));
    return made;
  }();
  return tables[IndexOf(headers)].get();
}

}  // namespace callbridge
