// XLA's FFI C ABI, what a handler asks of XLA: the type of the function in each slot of the API
// table, and the struct that it takes. Included by c_api.h, which has the rules.
#ifndef CALLBRIDGE_TYPED_FFI_C_API_REQUESTS_H_
#define CALLBRIDGE_TYPED_FFI_C_API_REQUESTS_H_

#include <stddef.h>
#include <stdint.h>

#include "callbridge/typed_ffi/c_api_frame.h"
#include "callbridge/typed_ffi/frozen.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Errors -------------------------------------------------------------------------------------

// `message` is NUL-terminated and copied.
struct XLA_FFI_Error_Create_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  const char* message;
  XLA_FFI_Error_Code errc;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Error_Create_Args, errc);
CALLBRIDGE_FROZEN_2(XLA_FFI_Error_Create_Args, 32, message, 16, errc, 24);
typedef XLA_FFI_Error* XLA_FFI_Error_Create(XLA_FFI_Error_Create_Args* args);

// `message` is valid as long as the error.
struct XLA_FFI_Error_GetDetails_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_Error* error;
  const char* message;      // out
  XLA_FFI_Error_Code errc;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Error_GetDetails_Args, errc);
CALLBRIDGE_FROZEN_3(XLA_FFI_Error_GetDetails_Args, 40, error, 16, message, 24, errc, 32);
typedef void XLA_FFI_Error_GetDetails(XLA_FFI_Error_GetDetails_Args* args);

struct XLA_FFI_Error_Destroy_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_Error* error;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Error_Destroy_Args, error);
CALLBRIDGE_FROZEN_1(XLA_FFI_Error_Destroy_Args, 24, error, 16);
typedef void XLA_FFI_Error_Destroy(XLA_FFI_Error_Destroy_Args* args);

// ---- Futures ------------------------------------------------------------------------------------

struct XLA_FFI_Future_Create_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_Future* future;  // out; beyond STRUCT_SIZE, as XLA has it
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Future_Create_Args, extension_start);
CALLBRIDGE_FROZEN_1(XLA_FFI_Future_Create_Args, 24, future, 16);
typedef XLA_FFI_Error* XLA_FFI_Future_Create(XLA_FFI_Future_Create_Args* args);

struct XLA_FFI_Future_SetAvailable_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_Future* future;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Future_SetAvailable_Args, future);
CALLBRIDGE_FROZEN_1(XLA_FFI_Future_SetAvailable_Args, 24, future, 16);
typedef XLA_FFI_Error* XLA_FFI_Future_SetAvailable(XLA_FFI_Future_SetAvailable_Args* args);

// Takes ownership of `error`.
struct XLA_FFI_Future_SetError_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_Future* future;
  XLA_FFI_Error* error;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Future_SetError_Args, error);
CALLBRIDGE_FROZEN_2(XLA_FFI_Future_SetError_Args, 32, future, 16, error, 24);
typedef XLA_FFI_Error* XLA_FFI_Future_SetError(XLA_FFI_Future_SetError_Args* args);

// ---- Registration -------------------------------------------------------------------------------

struct XLA_FFI_Handler_Register_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_ByteSpan platform;
  XLA_FFI_Handler_Bundle bundle;
  XLA_FFI_Handler_Traits traits;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Handler_Register_Args, traits);
CALLBRIDGE_FROZEN_4(XLA_FFI_Handler_Register_Args, 96, name, 16, platform, 32, bundle, 48, traits,
                    88);
typedef XLA_FFI_Error* XLA_FFI_Handler_Register(XLA_FFI_Handler_Register_Args* args);

// XLA writes a new id to `*type_id` if it is unknown; otherwise it must be the id of `name`.
struct XLA_FFI_Type_Register_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_TypeId* type_id;            // in and out
  const XLA_FFI_TypeInfo* type_info;  // beyond STRUCT_SIZE, as XLA has it
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Type_Register_Args, type_id);
CALLBRIDGE_FROZEN_3(XLA_FFI_Type_Register_Args, 48, name, 16, type_id, 32, type_info, 40);
typedef XLA_FFI_Error* XLA_FFI_Type_Register(XLA_FFI_Type_Register_Args* args);

// ---- What the context knows ---------------------------------------------------------------------

// The platform's stream, a CUstream on CUDA.
struct XLA_FFI_Stream_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  void* stream;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Stream_Get_Args, stream);
CALLBRIDGE_FROZEN_2(XLA_FFI_Stream_Get_Args, 32, ctx, 16, stream, 24);
typedef XLA_FFI_Error* XLA_FFI_Stream_Get(XLA_FFI_Stream_Get_Args* args);

// The user data of that type which the program's caller put into the context.
struct XLA_FFI_InvokeContext_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  XLA_FFI_TypeId* type_id;
  void* data;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_InvokeContext_Get_Args, data);
CALLBRIDGE_FROZEN_3(XLA_FFI_InvokeContext_Get_Args, 40, ctx, 16, type_id, 24, data, 32);
typedef XLA_FFI_Error* XLA_FFI_InvokeContext_Get(XLA_FFI_InvokeContext_Get_Args* args);

struct XLA_FFI_InvokeContext_FindExtension_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  int64_t extension_type;
  const XLA_FFI_Extension* extension;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_InvokeContext_FindExtension_Args, extension);
CALLBRIDGE_FROZEN_3(XLA_FFI_InvokeContext_FindExtension_Args, 40, ctx, 16, extension_type, 24,
                    extension, 32);
typedef XLA_FFI_Error* XLA_FFI_InvokeContext_FindExtension(
    XLA_FFI_InvokeContext_FindExtension_Args* args);

// The options of a run, apart from the call's attributes. Empty, never null, if it has none.
struct XLA_FFI_CustomOptions_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  const XLA_FFI_Attrs* attrs;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_CustomOptions_Get_Args, attrs);
CALLBRIDGE_FROZEN_2(XLA_FFI_CustomOptions_Get_Args, 32, ctx, 16, attrs, 24);
typedef XLA_FFI_Error* XLA_FFI_CustomOptions_Get(XLA_FFI_CustomOptions_Get_Args* args);

// The same for all executions that belong to one logical run.
struct XLA_FFI_RunId_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  int64_t run_id;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_RunId_Get_Args, run_id);
CALLBRIDGE_FROZEN_2(XLA_FFI_RunId_Get_Args, 32, ctx, 16, run_id, 24);
typedef XLA_FFI_Error* XLA_FFI_RunId_Get(XLA_FFI_RunId_Get_Args* args);

struct XLA_FFI_DeviceOrdinal_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  int32_t device_ordinal;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_DeviceOrdinal_Get_Args, device_ordinal);
CALLBRIDGE_FROZEN_2(XLA_FFI_DeviceOrdinal_Get_Args, 32, ctx, 16, device_ordinal, 24);
typedef XLA_FFI_Error* XLA_FFI_DeviceOrdinal_Get(XLA_FFI_DeviceOrdinal_Get_Args* args);

// ---- State that a handler keeps with the executable ---------------------------------------------

// XLA takes ownership of `state` and deletes it with the deleter of its type. Fails if `stage` has
// a state.
struct XLA_FFI_State_Set_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_TypeId* type_id;
  void* state;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_State_Set_Args, state);
CALLBRIDGE_FROZEN_4(XLA_FFI_State_Set_Args, 48, ctx, 16, stage, 24, type_id, 32, state, 40);
typedef XLA_FFI_Error* XLA_FFI_State_Set(XLA_FFI_State_Set_Args* args);

// Fails if `stage` has no state, or one of another type.
struct XLA_FFI_State_Get_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_TypeId* type_id;
  void* state;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_State_Get_Args, state);
CALLBRIDGE_FROZEN_4(XLA_FFI_State_Get_Args, 48, ctx, 16, stage, 24, type_id, 32, state, 40);
typedef XLA_FFI_Error* XLA_FFI_State_Get(XLA_FFI_State_Get_Args* args);

// ---- Memory of the device, and threads of the host ----------------------------------------------

// `size` and `alignment` in bytes.
struct XLA_FFI_DeviceMemory_Allocate_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  size_t size;
  size_t alignment;
  void* data;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_DeviceMemory_Allocate_Args, data);
CALLBRIDGE_FROZEN_4(XLA_FFI_DeviceMemory_Allocate_Args, 48, ctx, 16, size, 24, alignment, 32, data,
                    40);
typedef XLA_FFI_Error* XLA_FFI_DeviceMemory_Allocate(XLA_FFI_DeviceMemory_Allocate_Args* args);

struct XLA_FFI_DeviceMemory_Free_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  size_t size;
  void* data;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_DeviceMemory_Free_Args, data);
CALLBRIDGE_FROZEN_3(XLA_FFI_DeviceMemory_Free_Args, 40, ctx, 16, size, 24, data, 32);
typedef XLA_FFI_Error* XLA_FFI_DeviceMemory_Free(XLA_FFI_DeviceMemory_Free_Args* args);

typedef void XLA_FFI_Task(void* data);

// Runs `task` on one of XLA's threads, or on the caller's before it returns. Rely on neither.
struct XLA_FFI_ThreadPool_Schedule_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  XLA_FFI_Task* task;
  void* data;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_ThreadPool_Schedule_Args, data);
CALLBRIDGE_FROZEN_3(XLA_FFI_ThreadPool_Schedule_Args, 40, ctx, 16, task, 24, data, 32);
typedef XLA_FFI_Error* XLA_FFI_ThreadPool_Schedule(XLA_FFI_ThreadPool_Schedule_Args* args);

struct XLA_FFI_ThreadPool_NumThreads_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_InvokeContext* ctx;
  int64_t* num_threads;  // out: what it points to
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_ThreadPool_NumThreads_Args, num_threads);
CALLBRIDGE_FROZEN_2(XLA_FFI_ThreadPool_NumThreads_Args, 32, ctx, 16, num_threads, 24);
typedef XLA_FFI_Error* XLA_FFI_ThreadPool_NumThreads(XLA_FFI_ThreadPool_NumThreads_Args* args);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_TYPED_FFI_C_API_REQUESTS_H_
