#include "callbridge/adapters/cross_version/api_table.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include "callbridge/adapters/cross_version/context.h"
#include "callbridge/adapters/cross_version/error.h"
#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/cross_version/state.h"
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
using typed_ffi::kApiFunctionCount;
using typed_ffi::kRuntimeVersionCount;
using typed_ffi::kRuntimeVersions;
using typed_ffi::RuntimeVersion;
using typed_ffi::StateLayout;

XLA_FFI_Error* Missing(const CrossVersionRuntime& runtime, ApiFunction function) {
  return ErrorObject::Make(XLA_FFI_Error_Code_UNIMPLEMENTED, runtime.DescribeMissing(function));
}

// ---- What no runtime needs to be asked for

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
  return ErrorObject::Make(XLA_FFI_Error_Code_UNIMPLEMENTED,
                           "XLA_FFI_Handler_Register is not offered to a handler that callbridge "
                           "carries to another runtime: register with callbridge");
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

// ---- What the runtime is asked for, in structs that have always been alike: in place

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

// ---- What needs more than that

// XLA:CPU of jaxlib 0.4.30 and 0.4.31 has slots for scratch memory, user data and state, and
// crashes: it lends no context, and calls no INSTANTIATE. Null elsewhere.
XLA_FFI_Error* RefuseOnFirstCpus(const CrossVersionContext& context, const char* what) {
  const RuntimeVersion& first_that_runs = kRuntimeVersions[2];
  const bool crashes = &context.runtime->version() < &first_that_runs &&
                       context.handler->platform == Platform::kHost;
  if (!crashes) return nullptr;
  return ErrorObject::Make(XLA_FFI_Error_Code_UNIMPLEMENTED,
                           context.runtime->DescribeMissing(what, first_that_runs));
}

// A type that got its id here has another one in a runtime that is not ours, by the same name.
XLA_FFI_Error* GetUserData(XLA_FFI_InvokeContext_Get_Args* args) {
  const CrossVersionContext& context = CrossVersionContext::Of(args->ctx);
  if (XLA_FFI_Error* error = RefuseOnFirstCpus(context, "user data on the CPU")) return error;
  CrossVersionRuntime& runtime = *context.runtime;
  XLA_FFI_TypeId* const own = args->type_id;
  const auto type = TypeRegistry::OfProcess().Find(*own);
  if (!type.has_value() || !TypeRegistry::GaveOut(*own) || runtime.is_callbridge()) {
    return Forward<ApiFunction::kUserData>(args);
  }
  XLA_FFI_TypeId id;
  XLA_FFI_Error* error = runtime.FindType(type->name, type->deleter, &id);
  if (error != nullptr) return WrapRuntimeError(error, runtime);
  args->type_id = &id;
  error = Forward<ApiFunction::kUserData>(args);
  args->type_id = own;
  return error;
}

XLA_FFI_Error* AllocateScratch(XLA_FFI_DeviceMemory_Allocate_Args* args) {
  const CrossVersionContext& context = CrossVersionContext::Of(args->ctx);
  if (XLA_FFI_Error* error = RefuseOnFirstCpus(context, "scratch memory on the CPU")) return error;
  return Forward<ApiFunction::kScratchAllocate>(args);
}

// A task may always be run on the thread that schedules it: where the runtime has no threads to
// lend, and where the handler has returned, so that the runtime's context is gone. An error would
// not do then: XLA's headers put it into diagnostics that are gone too.
XLA_FFI_Error* ScheduleTask(XLA_FFI_ThreadPool_Schedule_Args* args) {
  const CrossVersionContext& context = CrossVersionContext::Of(args->ctx);
  constexpr auto kSchedule = static_cast<int>(ApiFunction::kThreadPoolSchedule);
  if (context.ctx.load() != nullptr && context.runtime->version().slots[kSchedule] != 0) {
    return Forward<ApiFunction::kThreadPoolSchedule>(args);
  }
  args->task(args->data);
  return nullptr;
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
  if (XLA_FFI_Error* error = RefuseOnFirstCpus(context, "state on the CPU")) return error;
  return GetCrossVersionState(CrossVersionContext::Of(args->ctx),
                              XLA_FFI_ExecutionStage_INSTANTIATE, *args->type_id, &args->state);
}

XLA_FFI_Error* GetStagedState(XLA_FFI_State_Get_Args* args) {
  const CrossVersionContext& context = CrossVersionContext::Of(args->ctx);
  if (XLA_FFI_Error* error = RefuseOnFirstCpus(context, "state on the CPU")) return error;
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

using Slot = void (*)();

template <typename Function>
Slot ToSlot(Function* function) {
  return reinterpret_cast<Slot>(function);
}

Slot SlotFor(ApiFunction function, const RuntimeVersion& headers) {
  switch (function) {
    case ApiFunction::kErrorCreate:
      return ToSlot(&CreateError);
    case ApiFunction::kErrorGetMessage:
      return ToSlot(&GetErrorMessage);
    case ApiFunction::kErrorGetDetails:
      return ToSlot(&GetErrorDetails);
    case ApiFunction::kErrorDestroy:
      return ToSlot(&DestroyError);
    case ApiFunction::kHandlerRegister:
      return ToSlot(&RegisterHandler);
    case ApiFunction::kStream:
      return ToSlot(&Forward<ApiFunction::kStream, XLA_FFI_Stream_Get_Args>);
    case ApiFunction::kTypeIdRegister:
      return ToSlot(&RegisterTypeId);
    case ApiFunction::kTypeRegister:
      return ToSlot(&RegisterType);
    case ApiFunction::kUserData:
      return ToSlot(&GetUserData);
    case ApiFunction::kStateSet:
      if (headers.state == StateLayout::kWithDeleter) return ToSlot(&SetStateWithDeleter);
      if (headers.state == StateLayout::kTypedDeleter) return ToSlot(&SetTypedState);
      return ToSlot(&SetStagedState);
    case ApiFunction::kStateGet:
      if (headers.state == StateLayout::kStaged) return ToSlot(&GetStagedState);
      return ToSlot(&GetUnstagedState);
    case ApiFunction::kScratchAllocate:
      return ToSlot(&AllocateScratch);
    case ApiFunction::kScratchFree:
      return ToSlot(&Forward<ApiFunction::kScratchFree, XLA_FFI_DeviceMemory_Free_Args>);
    case ApiFunction::kThreadPoolSchedule:
      return ToSlot(&ScheduleTask);
    case ApiFunction::kThreadPoolNumThreads:
      return ToSlot(
          &Forward<ApiFunction::kThreadPoolNumThreads, XLA_FFI_ThreadPool_NumThreads_Args>);
    case ApiFunction::kFutureCreate:
      return ToSlot(&CreateFuture);
    case ApiFunction::kFutureSetAvailable:
      return ToSlot(&SetFutureAvailable);
    case ApiFunction::kFutureSetError:
      return ToSlot(&SetFutureError);
    case ApiFunction::kRunId:
      return ToSlot(&Forward<ApiFunction::kRunId, XLA_FFI_RunId_Get_Args>);
    case ApiFunction::kDeviceOrdinal:
      return ToSlot(&Forward<ApiFunction::kDeviceOrdinal, XLA_FFI_DeviceOrdinal_Get_Args>);
    case ApiFunction::kExtensions:
      return ToSlot(&Forward<ApiFunction::kExtensions, XLA_FFI_InvokeContext_FindExtension_Args>);
    case ApiFunction::kCustomOptions:
      return ToSlot(&Forward<ApiFunction::kCustomOptions, XLA_FFI_CustomOptions_Get_Args>);
  }
  return nullptr;
}

// Sized for any version, so that a slot which a row understates is there all the same.
class CrossVersionTable {
 public:
  explicit CrossVersionTable(const RuntimeVersion& headers) {
    Put(0, size_t{headers.stated_size});
    if (&headers != &kRuntimeVersions[0]) {
      Put(offsetof(XLA_FFI_Api, api_version),
          XLA_FFI_Api_Version{XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, 0, headers.minor});
    }
    for (int i = 0; i < kApiFunctionCount; ++i) {
      if (headers.slots[i] != 0)
        Put(headers.slots[i], SlotFor(static_cast<ApiFunction>(i), headers));
    }
    if (headers.minor == 1) {
      const auto& twin = kRuntimeVersions[typed_ffi::kFutureCreateAt144];
      Put(SlotOf(twin, ApiFunction::kFutureCreate), &CreateFutureOrNumThreads);
      Put(SlotOf(twin, ApiFunction::kFutureSetAvailable), &CreateFutureOrSetAvailable);
      Put(SlotOf(twin, ApiFunction::kFutureSetError), &SetAvailableOrError);
    }
  }

  const XLA_FFI_Api* get() const { return reinterpret_cast<const XLA_FFI_Api*>(bytes_); }

 private:
  static size_t SlotOf(const RuntimeVersion& version, ApiFunction function) {
    return version.slots[static_cast<int>(function)];
  }
  template <typename T>
  void Put(size_t offset, T value) {
    std::memcpy(bytes_ + offset, &value, sizeof(value));
  }

  alignas(void*) char bytes_[sizeof(XLA_FFI_Api)] = {};
};

}  // namespace

const XLA_FFI_Api* CrossVersionApiTable(const RuntimeVersion& headers) {
  static const auto& tables = *[] {
    auto* made = new std::array<const CrossVersionTable*, kRuntimeVersionCount>;
    for (int i = 0; i < kRuntimeVersionCount; ++i) {
      (*made)[i] = new CrossVersionTable(kRuntimeVersions[i]);
    }
    return made;
  }();
  return tables[&headers - kRuntimeVersions]->get();
}

}  // namespace callbridge
