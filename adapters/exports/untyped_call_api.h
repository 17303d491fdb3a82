// The API table that a typed handler gets in an untyped call: errors, futures and, on GPU, the
// stream. Untyped calls have nothing else; all other functions return UNIMPLEMENTED.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_ADAPTERS_EXPORTS_UNTYPED_CALL_API_H_
#define CALLBRIDGE_ADAPTERS_EXPORTS_UNTYPED_CALL_API_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "callbridge/typed_ffi/api_table_builder.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

#pragma GCC visibility push(hidden)
namespace callbridge {
inline namespace callbridge_v1 {
namespace exports {

// The objects behind this table's XLA_FFI_Error*, XLA_FFI_Future* and XLA_FFI_InvokeContext*.
struct CallError {
  XLA_FFI_Error_Code code;
  std::string message;
};
struct CallFuture {
  std::mutex mutex;
  std::condition_variable completed;
  bool is_complete = false;
  std::unique_ptr<CallError> error;  // null: success
};
struct UntypedCallContext {
  bool gpu;
  void* stream;
};

inline XLA_FFI_Error* NewCallError(XLA_FFI_Error_Code code, std::string message) {
  return reinterpret_cast<XLA_FFI_Error*>(new CallError{code, std::move(message)});
}
inline std::unique_ptr<CallError> TakeCallError(XLA_FFI_Error* error) {
  return std::unique_ptr<CallError>(reinterpret_cast<CallError*>(error));
}

inline XLA_FFI_Error* CreateCallError(XLA_FFI_Error_Create_Args* args) {
  return NewCallError(args->errc, args->message);
}
inline void GetCallErrorDetails(XLA_FFI_Error_GetDetails_Args* args) {
  const auto* error = reinterpret_cast<const CallError*>(args->error);
  args->message = error->message.c_str();
  args->errc = error->code;
}
inline void DestroyCallError(XLA_FFI_Error_Destroy_Args* args) { TakeCallError(args->error); }

inline XLA_FFI_Error* CreateCallFuture(XLA_FFI_Future_Create_Args* args) {
  args->future = reinterpret_cast<XLA_FFI_Future*>(new CallFuture);
  return nullptr;
}
inline XLA_FFI_Error* CompleteCallFuture(XLA_FFI_Future* future, XLA_FFI_Error* error) {
  auto& completed = *reinterpret_cast<CallFuture*>(future);
  const std::lock_guard<std::mutex> lock(completed.mutex);
  completed.error = TakeCallError(error);
  completed.is_complete = true;
  completed.completed.notify_one();  // under the lock: the waiter destroys the future
  return nullptr;
}
inline XLA_FFI_Error* SetCallFutureAvailable(XLA_FFI_Future_SetAvailable_Args* args) {
  return CompleteCallFuture(args->future, nullptr);
}
inline XLA_FFI_Error* SetCallFutureError(XLA_FFI_Future_SetError_Args* args) {
  return CompleteCallFuture(args->future, args->error);
}
// Waits for the future and destroys it.
inline std::unique_ptr<CallError> AwaitCallFuture(XLA_FFI_Future* future) {
  const std::unique_ptr<CallFuture> awaited(reinterpret_cast<CallFuture*>(future));
  std::unique_lock<std::mutex> lock(awaited->mutex);
  awaited->completed.wait(lock, [&] { return awaited->is_complete; });
  std::unique_ptr<CallError> error = std::move(awaited->error);
  lock.unlock();
  return error;
}

inline XLA_FFI_Error* GetCallStream(XLA_FFI_Stream_Get_Args* args) {
  const auto* context = reinterpret_cast<const UntypedCallContext*>(args->ctx);
  if (!context->gpu) {
    return NewCallError(XLA_FFI_Error_Code_UNIMPLEMENTED, "a call on Host has no stream");
  }
  args->stream = context->stream;
  return nullptr;
}

template <typename Args>
XLA_FFI_Error* UnavailableService(Args*) {
  return NewCallError(
      XLA_FFI_Error_Code_UNIMPLEMENTED,
      "an untyped call provides no thread pool, scratch memory, user data, state, "
      "run id, device ordinal, options or extensions: call the handler by typed FFI");
}

constexpr typed_ffi::ApiSlot UntypedCallFunction(typed_ffi::ApiFunction function) {
  switch (function) {
    case typed_ffi::ApiFunction::kErrorCreate:
      return &CreateCallError;
    case typed_ffi::ApiFunction::kErrorGetDetails:
      return &GetCallErrorDetails;
    case typed_ffi::ApiFunction::kErrorDestroy:
      return &DestroyCallError;
    case typed_ffi::ApiFunction::kStream:
      return &GetCallStream;
    case typed_ffi::ApiFunction::kFutureCreate:
      return &CreateCallFuture;
    case typed_ffi::ApiFunction::kFutureSetAvailable:
      return &SetCallFutureAvailable;
    case typed_ffi::ApiFunction::kFutureSetError:
      return &SetCallFutureError;
    case typed_ffi::ApiFunction::kHandlerRegister:
      return &UnavailableService<XLA_FFI_Handler_Register_Args>;
    case typed_ffi::ApiFunction::kTypeRegister:
      return &UnavailableService<XLA_FFI_Type_Register_Args>;
    case typed_ffi::ApiFunction::kUserData:
      return &UnavailableService<XLA_FFI_InvokeContext_Get_Args>;
    case typed_ffi::ApiFunction::kStateSet:
      return &UnavailableService<XLA_FFI_State_Set_Args>;
    case typed_ffi::ApiFunction::kStateGet:
      return &UnavailableService<XLA_FFI_State_Get_Args>;
    case typed_ffi::ApiFunction::kScratchAllocate:
      return &UnavailableService<XLA_FFI_DeviceMemory_Allocate_Args>;
    case typed_ffi::ApiFunction::kScratchFree:
      return &UnavailableService<XLA_FFI_DeviceMemory_Free_Args>;
    case typed_ffi::ApiFunction::kThreadPoolSchedule:
      return &UnavailableService<XLA_FFI_ThreadPool_Schedule_Args>;
    case typed_ffi::ApiFunction::kThreadPoolNumThreads:
      return &UnavailableService<XLA_FFI_ThreadPool_NumThreads_Args>;
    case typed_ffi::ApiFunction::kRunId:
      return &UnavailableService<XLA_FFI_RunId_Get_Args>;
    case typed_ffi::ApiFunction::kDeviceOrdinal:
      return &UnavailableService<XLA_FFI_DeviceOrdinal_Get_Args>;
    case typed_ffi::ApiFunction::kExtensions:
      return &UnavailableService<XLA_FFI_InvokeContext_FindExtension_Args>;
    case typed_ffi::ApiFunction::kCustomOptions:
      return &UnavailableService<XLA_FFI_CustomOptions_Get_Args>;
    case typed_ffi::ApiFunction::kErrorGetMessage:
    case typed_ffi::ApiFunction::kTypeIdRegister:
      break;  // not in the newest table
  }
  return {};
}

inline const XLA_FFI_Api& UntypedCallApi() {
  static constexpr typed_ffi::ApiTable kTable =
      typed_ffi::MakeApiTable(typed_ffi::kNewestVersion, &UntypedCallFunction);
  return *kTable.get();
}

}  // namespace exports
}  // namespace callbridge_v1
}  // namespace callbridge
#pragma GCC visibility pop

#endif  // CALLBRIDGE_ADAPTERS_EXPORTS_UNTYPED_CALL_API_H_
