// Structs of older XLAs whose layout is no longer c_api.h's, and functions that are gone. A name
// ends in the first measured jaxlib with that layout, which holds until the next one here, or
// c_api.h's. Names without a suffix never changed. old_api_tables.h has the API tables. Frozen:
// these versions are released.
//
// clang-format off
//   struct                         here                     in c_api.h since
//   XLA_FFI_ExecutionStage         0.4.30                   0.4.31
//   XLA_FFI_CallFrame              0.4.30                   0.4.34
//   XLA_FFI_Handler_Bundle         0.4.30, 0.4.31           0.11.2
//   XLA_FFI_Handler_Register_Args  0.4.30, 0.4.31           0.11.2
//   XLA_FFI_Metadata               0.4.34                   0.8.3
//   XLA_FFI_State_Set_Args         0.4.31, 0.8.3            0.10.2
//   XLA_FFI_State_Get_Args         0.4.31                   0.10.2
// clang-format on
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_OLD_LAYOUTS_H_
#define CALLBRIDGE_TYPED_FFI_OLD_LAYOUTS_H_

#include <stddef.h>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/frozen.h"

namespace callbridge {
namespace typed_ffi {
namespace old {

// The names of XLA_FFI_InternalExtension and its type up to 0.10.2.
using XLA_FFI_Extension_Base = ::XLA_FFI_InternalExtension;
using XLA_FFI_Extension_Type = ::XLA_FFI_InternalExtension_Type;
enum { XLA_FFI_Extension_Base_STRUCT_SIZE = XLA_FFI_InternalExtension_STRUCT_SIZE };

// ---- The call frame -----------------------------------------------------------------------------

// Of 0.4.30 alone. Since 0.4.31 EXECUTE is 3.
typedef enum CALLBRIDGE_OPEN_ENUM {
  XLA_FFI_ExecutionStage_0_4_30_PREPARE = 0,
  XLA_FFI_ExecutionStage_0_4_30_INITIALIZE = 1,
  XLA_FFI_ExecutionStage_0_4_30_EXECUTE = 2,
} XLA_FFI_ExecutionStage_0_4_30;

// Without a future.
struct XLA_FFI_CallFrame_0_4_30 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  const ::XLA_FFI_Api* api;  // XLA_FFI_Api_0_4_30 or XLA_FFI_Api_0_4_31
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_ExecutionStage stage;  // in 0.4.30 the numbers of XLA_FFI_ExecutionStage_0_4_30
  XLA_FFI_Args args;
  XLA_FFI_Rets rets;
  XLA_FFI_Attrs attrs;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_CallFrame_0_4_30, attrs);
CALLBRIDGE_FROZEN_6(XLA_FFI_CallFrame_0_4_30, 168, api, 16, ctx, 24, stage, 32, args, 40, rets, 80,
                    attrs, 120);

// ---- Errors -------------------------------------------------------------------------------------

// Up to 0.10.2. XLA_FFI_Error_GetDetails has had its slot since.
struct XLA_FFI_Error_GetMessage_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Error* error;
  const char* message;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Error_GetMessage_Args, message);
CALLBRIDGE_FROZEN_2(XLA_FFI_Error_GetMessage_Args, 32, error, 16, message, 24);
typedef void XLA_FFI_Error_GetMessage(XLA_FFI_Error_GetMessage_Args* args);

// ---- Handlers and their metadata ----------------------------------------------------------------

struct XLA_FFI_Handler_Bundle_0_4_30 {
  XLA_FFI_Handler* prepare;
  XLA_FFI_Handler* initialize;
  XLA_FFI_Handler* execute;
};
CALLBRIDGE_FROZEN_3(XLA_FFI_Handler_Bundle_0_4_30, 24, prepare, 0, initialize, 8, execute, 16);

struct XLA_FFI_Handler_Bundle_0_4_31 {
  XLA_FFI_Handler* instantiate;
  XLA_FFI_Handler* prepare;
  XLA_FFI_Handler* initialize;
  XLA_FFI_Handler* execute;
};
CALLBRIDGE_FROZEN_4(XLA_FFI_Handler_Bundle_0_4_31, 32, instantiate, 0, prepare, 8, initialize, 16,
                    execute, 24);

struct XLA_FFI_Handler_Register_Args_0_4_30 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_ByteSpan platform;
  XLA_FFI_Handler_Bundle_0_4_30 bundle;
  XLA_FFI_Handler_Traits traits;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Handler_Register_Args_0_4_30, traits);
CALLBRIDGE_FROZEN_4(XLA_FFI_Handler_Register_Args_0_4_30, 80, name, 16, platform, 32, bundle, 48,
                    traits, 72);
typedef XLA_FFI_Error* XLA_FFI_Handler_Register_0_4_30(XLA_FFI_Handler_Register_Args_0_4_30* args);

struct XLA_FFI_Handler_Register_Args_0_4_31 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_ByteSpan platform;
  XLA_FFI_Handler_Bundle_0_4_31 bundle;
  XLA_FFI_Handler_Traits traits;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Handler_Register_Args_0_4_31, traits);
CALLBRIDGE_FROZEN_4(XLA_FFI_Handler_Register_Args_0_4_31, 88, name, 16, platform, 32, bundle, 48,
                    traits, 80);
typedef XLA_FFI_Error* XLA_FFI_Handler_Register_0_4_31(XLA_FFI_Handler_Register_Args_0_4_31* args);

// Without a state type id.
struct XLA_FFI_Metadata_0_4_34 {
  size_t struct_size;
  XLA_FFI_Api_Version api_version;
  XLA_FFI_Handler_Traits traits;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Metadata_0_4_34, traits);
CALLBRIDGE_FROZEN_2(XLA_FFI_Metadata_0_4_34, 40, api_version, 8, traits, 32);

// ---- Types and user data ------------------------------------------------------------------------

// Up to 0.7.2. XLA_FFI_Type_Register has had its slot since.
struct XLA_FFI_TypeId_Register_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_TypeId* type_id;  // in and out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_TypeId_Register_Args, type_id);
CALLBRIDGE_FROZEN_2(XLA_FFI_TypeId_Register_Args, 40, name, 16, type_id, 32);
typedef XLA_FFI_Error* XLA_FFI_TypeId_Register(XLA_FFI_TypeId_Register_Args* args);

// Up to 0.10.2. XLA_FFI_InvokeContext_Get, with the same struct, has had its slot since.
using XLA_FFI_ExecutionContext_Get_Args = ::XLA_FFI_InvokeContext_Get_Args;
enum { XLA_FFI_ExecutionContext_Get_Args_STRUCT_SIZE = XLA_FFI_InvokeContext_Get_Args_STRUCT_SIZE };
using XLA_FFI_ExecutionContext_Get = ::XLA_FFI_InvokeContext_Get;

// ---- State --------------------------------------------------------------------------------------

// Sets the state of INSTANTIATE, the only one, with its deleter.
struct XLA_FFI_State_Set_Args_0_4_31 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_TypeId* type_id;
  void* state;
  void (*deleter)(void* state);
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_State_Set_Args_0_4_31, deleter);
CALLBRIDGE_FROZEN_4(XLA_FFI_State_Set_Args_0_4_31, 48, ctx, 16, type_id, 24, state, 32, deleter,
                    40);
typedef XLA_FFI_Error* XLA_FFI_State_Set_0_4_31(XLA_FFI_State_Set_Args_0_4_31* args);

// The type has the deleter.
struct XLA_FFI_State_Set_Args_0_8_3 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_TypeId* type_id;
  void* state;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_State_Set_Args_0_8_3, state);
CALLBRIDGE_FROZEN_3(XLA_FFI_State_Set_Args_0_8_3, 40, ctx, 16, type_id, 24, state, 32);
typedef XLA_FFI_Error* XLA_FFI_State_Set_0_8_3(XLA_FFI_State_Set_Args_0_8_3* args);

struct XLA_FFI_State_Get_Args_0_4_31 {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_TypeId* type_id;
  void* state;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_State_Get_Args_0_4_31, state);
CALLBRIDGE_FROZEN_3(XLA_FFI_State_Get_Args_0_4_31, 40, ctx, 16, type_id, 24, state, 32);
typedef XLA_FFI_Error* XLA_FFI_State_Get_0_4_31(XLA_FFI_State_Get_Args_0_4_31* args);

}  // namespace old
}  // namespace typed_ffi
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_OLD_LAYOUTS_H_
