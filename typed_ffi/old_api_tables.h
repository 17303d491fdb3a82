// The API tables of XLA before 0.11.2, whose table is c_api.h's without the last slot. A name ends
// in the first measured jaxlib with that table, which holds until the next one.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_OLD_API_TABLES_H_
#define CALLBRIDGE_TYPED_FFI_OLD_API_TABLES_H_

#include <stddef.h>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/frozen.h"
#include "callbridge/typed_ffi/old_layouts.h"

namespace callbridge {
namespace typed_ffi {
namespace old {

// Its struct_size says 64. It has no version.
struct XLA_FFI_Api_0_4_30 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  const XLA_FFI_InternalApi* internal_api;
  ::XLA_FFI_Error_Create* XLA_FFI_Error_Create;
  old::XLA_FFI_Error_GetMessage* XLA_FFI_Error_GetMessage;
  ::XLA_FFI_Error_Destroy* XLA_FFI_Error_Destroy;
  old::XLA_FFI_Handler_Register_0_4_30* XLA_FFI_Handler_Register;
  ::XLA_FFI_Stream_Get* XLA_FFI_Stream_Get;
  old::XLA_FFI_TypeId_Register* XLA_FFI_TypeId_Register;
  old::XLA_FFI_ExecutionContext_Get* XLA_FFI_ExecutionContext_Get;
  ::XLA_FFI_DeviceMemory_Allocate* XLA_FFI_DeviceMemory_Allocate;
  ::XLA_FFI_DeviceMemory_Free* XLA_FFI_DeviceMemory_Free;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api_0_4_30, XLA_FFI_Stream_Get);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api_0_4_30, 96, internal_api, 16, XLA_FFI_Error_Create, 24,
                    XLA_FFI_Error_GetMessage, 32, XLA_FFI_Error_Destroy, 40,
                    XLA_FFI_Handler_Register, 48, XLA_FFI_Stream_Get, 56, XLA_FFI_TypeId_Register,
                    64, XLA_FFI_ExecutionContext_Get, 72);
CALLBRIDGE_FROZEN_2(XLA_FFI_Api_0_4_30, 96, XLA_FFI_DeviceMemory_Allocate, 80,
                    XLA_FFI_DeviceMemory_Free, 88);

// Has the version where all later tables have it. Its struct_size says 88, as in the next two.
struct XLA_FFI_Api_0_4_31 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Api_Version api_version;
  const XLA_FFI_InternalApi* internal_api;
  ::XLA_FFI_Error_Create* XLA_FFI_Error_Create;
  old::XLA_FFI_Error_GetMessage* XLA_FFI_Error_GetMessage;
  ::XLA_FFI_Error_Destroy* XLA_FFI_Error_Destroy;
  old::XLA_FFI_Handler_Register_0_4_31* XLA_FFI_Handler_Register;
  ::XLA_FFI_Stream_Get* XLA_FFI_Stream_Get;
  old::XLA_FFI_TypeId_Register* XLA_FFI_TypeId_Register;
  old::XLA_FFI_ExecutionContext_Get* XLA_FFI_ExecutionContext_Get;
  old::XLA_FFI_State_Set_0_4_31* XLA_FFI_State_Set;
  old::XLA_FFI_State_Get_0_4_31* XLA_FFI_State_Get;
  ::XLA_FFI_DeviceMemory_Allocate* XLA_FFI_DeviceMemory_Allocate;
  ::XLA_FFI_DeviceMemory_Free* XLA_FFI_DeviceMemory_Free;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api_0_4_31, XLA_FFI_Stream_Get);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api_0_4_31, 136, api_version, 16, internal_api, 40,
                    XLA_FFI_Error_Create, 48, XLA_FFI_Error_GetMessage, 56, XLA_FFI_Error_Destroy,
                    64, XLA_FFI_Handler_Register, 72, XLA_FFI_Stream_Get, 80,
                    XLA_FFI_TypeId_Register, 88);
CALLBRIDGE_FROZEN_5(XLA_FFI_Api_0_4_31, 136, XLA_FFI_ExecutionContext_Get, 96, XLA_FFI_State_Set,
                    104, XLA_FFI_State_Get, 112, XLA_FFI_DeviceMemory_Allocate, 120,
                    XLA_FFI_DeviceMemory_Free, 128);

struct XLA_FFI_Api_0_4_34 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Api_Version api_version;
  const XLA_FFI_InternalApi* internal_api;
  ::XLA_FFI_Error_Create* XLA_FFI_Error_Create;
  old::XLA_FFI_Error_GetMessage* XLA_FFI_Error_GetMessage;
  ::XLA_FFI_Error_Destroy* XLA_FFI_Error_Destroy;
  old::XLA_FFI_Handler_Register_0_4_31* XLA_FFI_Handler_Register;
  ::XLA_FFI_Stream_Get* XLA_FFI_Stream_Get;
  old::XLA_FFI_TypeId_Register* XLA_FFI_TypeId_Register;
  old::XLA_FFI_ExecutionContext_Get* XLA_FFI_ExecutionContext_Get;
  old::XLA_FFI_State_Set_0_4_31* XLA_FFI_State_Set;
  old::XLA_FFI_State_Get_0_4_31* XLA_FFI_State_Get;
  ::XLA_FFI_DeviceMemory_Allocate* XLA_FFI_DeviceMemory_Allocate;
  ::XLA_FFI_DeviceMemory_Free* XLA_FFI_DeviceMemory_Free;
  ::XLA_FFI_ThreadPool_Schedule* XLA_FFI_ThreadPool_Schedule;
  ::XLA_FFI_Future_Create* XLA_FFI_Future_Create;
  ::XLA_FFI_Future_SetAvailable* XLA_FFI_Future_SetAvailable;
  ::XLA_FFI_Future_SetError* XLA_FFI_Future_SetError;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api_0_4_34, XLA_FFI_Stream_Get);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api_0_4_34, 168, api_version, 16, internal_api, 40,
                    XLA_FFI_Error_Create, 48, XLA_FFI_Error_GetMessage, 56, XLA_FFI_Error_Destroy,
                    64, XLA_FFI_Handler_Register, 72, XLA_FFI_Stream_Get, 80,
                    XLA_FFI_TypeId_Register, 88);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api_0_4_34, 168, XLA_FFI_ExecutionContext_Get, 96, XLA_FFI_State_Set,
                    104, XLA_FFI_State_Get, 112, XLA_FFI_DeviceMemory_Allocate, 120,
                    XLA_FFI_DeviceMemory_Free, 128, XLA_FFI_ThreadPool_Schedule, 136,
                    XLA_FFI_Future_Create, 144, XLA_FFI_Future_SetAvailable, 152);
CALLBRIDGE_FROZEN_1(XLA_FFI_Api_0_4_34, 168, XLA_FFI_Future_SetError, 160);

// Futures moved, but version and struct_size stayed the same.
struct XLA_FFI_Api_0_4_38 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Api_Version api_version;
  const XLA_FFI_InternalApi* internal_api;
  ::XLA_FFI_Error_Create* XLA_FFI_Error_Create;
  old::XLA_FFI_Error_GetMessage* XLA_FFI_Error_GetMessage;
  ::XLA_FFI_Error_Destroy* XLA_FFI_Error_Destroy;
  old::XLA_FFI_Handler_Register_0_4_31* XLA_FFI_Handler_Register;
  ::XLA_FFI_Stream_Get* XLA_FFI_Stream_Get;
  old::XLA_FFI_TypeId_Register* XLA_FFI_TypeId_Register;
  old::XLA_FFI_ExecutionContext_Get* XLA_FFI_ExecutionContext_Get;
  old::XLA_FFI_State_Set_0_4_31* XLA_FFI_State_Set;
  old::XLA_FFI_State_Get_0_4_31* XLA_FFI_State_Get;
  ::XLA_FFI_DeviceMemory_Allocate* XLA_FFI_DeviceMemory_Allocate;
  ::XLA_FFI_DeviceMemory_Free* XLA_FFI_DeviceMemory_Free;
  ::XLA_FFI_ThreadPool_Schedule* XLA_FFI_ThreadPool_Schedule;
  ::XLA_FFI_ThreadPool_NumThreads* XLA_FFI_ThreadPool_NumThreads;
  ::XLA_FFI_Future_Create* XLA_FFI_Future_Create;
  ::XLA_FFI_Future_SetAvailable* XLA_FFI_Future_SetAvailable;
  ::XLA_FFI_Future_SetError* XLA_FFI_Future_SetError;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api_0_4_38, XLA_FFI_Stream_Get);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api_0_4_38, 176, api_version, 16, internal_api, 40,
                    XLA_FFI_Error_Create, 48, XLA_FFI_Error_GetMessage, 56, XLA_FFI_Error_Destroy,
                    64, XLA_FFI_Handler_Register, 72, XLA_FFI_Stream_Get, 80,
                    XLA_FFI_TypeId_Register, 88);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api_0_4_38, 176, XLA_FFI_ExecutionContext_Get, 96, XLA_FFI_State_Set,
                    104, XLA_FFI_State_Get, 112, XLA_FFI_DeviceMemory_Allocate, 120,
                    XLA_FFI_DeviceMemory_Free, 128, XLA_FFI_ThreadPool_Schedule, 136,
                    XLA_FFI_ThreadPool_NumThreads, 144, XLA_FFI_Future_Create, 152);
CALLBRIDGE_FROZEN_2(XLA_FFI_Api_0_4_38, 176, XLA_FFI_Future_SetAvailable, 160,
                    XLA_FFI_Future_SetError, 168);

// From here on, struct_size is the true size.
struct XLA_FFI_Api_0_6_2 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Api_Version api_version;
  const XLA_FFI_InternalApi* internal_api;
  ::XLA_FFI_Error_Create* XLA_FFI_Error_Create;
  old::XLA_FFI_Error_GetMessage* XLA_FFI_Error_GetMessage;
  ::XLA_FFI_Error_Destroy* XLA_FFI_Error_Destroy;
  old::XLA_FFI_Handler_Register_0_4_31* XLA_FFI_Handler_Register;
  ::XLA_FFI_Stream_Get* XLA_FFI_Stream_Get;
  old::XLA_FFI_TypeId_Register* XLA_FFI_TypeId_Register;
  old::XLA_FFI_ExecutionContext_Get* XLA_FFI_ExecutionContext_Get;
  old::XLA_FFI_State_Set_0_4_31* XLA_FFI_State_Set;
  old::XLA_FFI_State_Get_0_4_31* XLA_FFI_State_Get;
  ::XLA_FFI_DeviceMemory_Allocate* XLA_FFI_DeviceMemory_Allocate;
  ::XLA_FFI_DeviceMemory_Free* XLA_FFI_DeviceMemory_Free;
  ::XLA_FFI_ThreadPool_Schedule* XLA_FFI_ThreadPool_Schedule;
  ::XLA_FFI_ThreadPool_NumThreads* XLA_FFI_ThreadPool_NumThreads;
  ::XLA_FFI_Future_Create* XLA_FFI_Future_Create;
  ::XLA_FFI_Future_SetAvailable* XLA_FFI_Future_SetAvailable;
  ::XLA_FFI_Future_SetError* XLA_FFI_Future_SetError;
  ::XLA_FFI_RunId_Get* XLA_FFI_RunId_Get;
  ::XLA_FFI_DeviceOrdinal_Get* XLA_FFI_DeviceOrdinal_Get;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api_0_6_2, XLA_FFI_DeviceOrdinal_Get);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api_0_6_2, 192, api_version, 16, internal_api, 40, XLA_FFI_Error_Create,
                    48, XLA_FFI_Error_GetMessage, 56, XLA_FFI_Error_Destroy, 64,
                    XLA_FFI_Handler_Register, 72, XLA_FFI_Stream_Get, 80, XLA_FFI_TypeId_Register,
                    88);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api_0_6_2, 192, XLA_FFI_ExecutionContext_Get, 96, XLA_FFI_State_Set,
                    104, XLA_FFI_State_Get, 112, XLA_FFI_DeviceMemory_Allocate, 120,
                    XLA_FFI_DeviceMemory_Free, 128, XLA_FFI_ThreadPool_Schedule, 136,
                    XLA_FFI_ThreadPool_NumThreads, 144, XLA_FFI_Future_Create, 152);
CALLBRIDGE_FROZEN_4(XLA_FFI_Api_0_6_2, 192, XLA_FFI_Future_SetAvailable, 160,
                    XLA_FFI_Future_SetError, 168, XLA_FFI_RunId_Get, 176, XLA_FFI_DeviceOrdinal_Get,
                    184);

struct XLA_FFI_Api_0_8_3 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Api_Version api_version;
  const XLA_FFI_InternalApi* internal_api;
  ::XLA_FFI_Error_Create* XLA_FFI_Error_Create;
  old::XLA_FFI_Error_GetMessage* XLA_FFI_Error_GetMessage;
  ::XLA_FFI_Error_Destroy* XLA_FFI_Error_Destroy;
  old::XLA_FFI_Handler_Register_0_4_31* XLA_FFI_Handler_Register;
  ::XLA_FFI_Stream_Get* XLA_FFI_Stream_Get;
  ::XLA_FFI_Type_Register* XLA_FFI_Type_Register;
  old::XLA_FFI_ExecutionContext_Get* XLA_FFI_ExecutionContext_Get;
  old::XLA_FFI_State_Set_0_8_3* XLA_FFI_State_Set;
  old::XLA_FFI_State_Get_0_4_31* XLA_FFI_State_Get;
  ::XLA_FFI_DeviceMemory_Allocate* XLA_FFI_DeviceMemory_Allocate;
  ::XLA_FFI_DeviceMemory_Free* XLA_FFI_DeviceMemory_Free;
  ::XLA_FFI_ThreadPool_Schedule* XLA_FFI_ThreadPool_Schedule;
  ::XLA_FFI_ThreadPool_NumThreads* XLA_FFI_ThreadPool_NumThreads;
  ::XLA_FFI_Future_Create* XLA_FFI_Future_Create;
  ::XLA_FFI_Future_SetAvailable* XLA_FFI_Future_SetAvailable;
  ::XLA_FFI_Future_SetError* XLA_FFI_Future_SetError;
  ::XLA_FFI_RunId_Get* XLA_FFI_RunId_Get;
  ::XLA_FFI_DeviceOrdinal_Get* XLA_FFI_DeviceOrdinal_Get;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api_0_8_3, XLA_FFI_DeviceOrdinal_Get);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api_0_8_3, 192, api_version, 16, internal_api, 40, XLA_FFI_Error_Create,
                    48, XLA_FFI_Error_GetMessage, 56, XLA_FFI_Error_Destroy, 64,
                    XLA_FFI_Handler_Register, 72, XLA_FFI_Stream_Get, 80, XLA_FFI_Type_Register,
                    88);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api_0_8_3, 192, XLA_FFI_ExecutionContext_Get, 96, XLA_FFI_State_Set,
                    104, XLA_FFI_State_Get, 112, XLA_FFI_DeviceMemory_Allocate, 120,
                    XLA_FFI_DeviceMemory_Free, 128, XLA_FFI_ThreadPool_Schedule, 136,
                    XLA_FFI_ThreadPool_NumThreads, 144, XLA_FFI_Future_Create, 152);
CALLBRIDGE_FROZEN_4(XLA_FFI_Api_0_8_3, 192, XLA_FFI_Future_SetAvailable, 160,
                    XLA_FFI_Future_SetError, 168, XLA_FFI_RunId_Get, 176, XLA_FFI_DeviceOrdinal_Get,
                    184);

struct XLA_FFI_Api_0_10_2 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Api_Version api_version;
  const XLA_FFI_InternalApi* internal_api;
  ::XLA_FFI_Error_Create* XLA_FFI_Error_Create;
  old::XLA_FFI_Error_GetMessage* XLA_FFI_Error_GetMessage;
  ::XLA_FFI_Error_Destroy* XLA_FFI_Error_Destroy;
  old::XLA_FFI_Handler_Register_0_4_31* XLA_FFI_Handler_Register;
  ::XLA_FFI_Stream_Get* XLA_FFI_Stream_Get;
  ::XLA_FFI_Type_Register* XLA_FFI_Type_Register;
  old::XLA_FFI_ExecutionContext_Get* XLA_FFI_ExecutionContext_Get;
  ::XLA_FFI_State_Set* XLA_FFI_State_Set;
  ::XLA_FFI_State_Get* XLA_FFI_State_Get;
  ::XLA_FFI_DeviceMemory_Allocate* XLA_FFI_DeviceMemory_Allocate;
  ::XLA_FFI_DeviceMemory_Free* XLA_FFI_DeviceMemory_Free;
  ::XLA_FFI_ThreadPool_Schedule* XLA_FFI_ThreadPool_Schedule;
  ::XLA_FFI_ThreadPool_NumThreads* XLA_FFI_ThreadPool_NumThreads;
  ::XLA_FFI_Future_Create* XLA_FFI_Future_Create;
  ::XLA_FFI_Future_SetAvailable* XLA_FFI_Future_SetAvailable;
  ::XLA_FFI_Future_SetError* XLA_FFI_Future_SetError;
  ::XLA_FFI_RunId_Get* XLA_FFI_RunId_Get;
  ::XLA_FFI_DeviceOrdinal_Get* XLA_FFI_DeviceOrdinal_Get;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api_0_10_2, XLA_FFI_DeviceOrdinal_Get);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api_0_10_2, 192, api_version, 16, internal_api, 40,
                    XLA_FFI_Error_Create, 48, XLA_FFI_Error_GetMessage, 56, XLA_FFI_Error_Destroy,
                    64, XLA_FFI_Handler_Register, 72, XLA_FFI_Stream_Get, 80, XLA_FFI_Type_Register,
                    88);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api_0_10_2, 192, XLA_FFI_ExecutionContext_Get, 96, XLA_FFI_State_Set,
                    104, XLA_FFI_State_Get, 112, XLA_FFI_DeviceMemory_Allocate, 120,
                    XLA_FFI_DeviceMemory_Free, 128, XLA_FFI_ThreadPool_Schedule, 136,
                    XLA_FFI_ThreadPool_NumThreads, 144, XLA_FFI_Future_Create, 152);
CALLBRIDGE_FROZEN_4(XLA_FFI_Api_0_10_2, 192, XLA_FFI_Future_SetAvailable, 160,
                    XLA_FFI_Future_SetError, 168, XLA_FFI_RunId_Get, 176, XLA_FFI_DeviceOrdinal_Get,
                    184);

}  // namespace old
}  // namespace typed_ffi
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_OLD_API_TABLES_H_
