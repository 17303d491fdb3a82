// PJRT's C ABI, as far as custom calls are registered by it: the beginning of the API table,
// errors, and two extensions. Names, numbers and layouts are XLA's own. Structs that a later
// version changed end in the first measured jaxlib with the old layout.
//
// Frozen: plugins bake in every struct here, and the asserts beside each hold it. Whoever fills a
// struct of arguments sets `struct_size`; a plugin accepts more than it knows and refuses less. Do
// not access a struct of the plugin beyond its `struct_size`.
#ifndef CALLBRIDGE_PJRT_PJRT_C_API_H_
#define CALLBRIDGE_PJRT_PJRT_C_API_H_

#include <cstddef>
#include <cstdint>

#include "callbridge/typed_ffi/frozen.h"

// ---- The API table ------------------------------------------------------------------------------

struct PJRT_Error;

// A struct of the chain that begins at PJRT_Api::extension_start. What follows depends on `type`.
struct PJRT_Extension_Base {
  size_t struct_size;  // of all of the extension
  int32_t type;
  PJRT_Extension_Base* next;
};
CALLBRIDGE_FROZEN_2(PJRT_Extension_Base, 24, type, 8, next, 16);

inline constexpr int32_t PJRT_Extension_Type_Gpu_Custom_Call = 0;
inline constexpr int32_t PJRT_Extension_Type_FFI = 5;

struct PJRT_Api_Version {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  int32_t major_version;
  int32_t minor_version;
};
CALLBRIDGE_FROZEN_2(PJRT_Api_Version, 24, major_version, 16, minor_version, 20);

struct PJRT_Error_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Error* error;
};
CALLBRIDGE_FROZEN_1(PJRT_Error_Destroy_Args, 24, error, 16);

// `message` is valid as long as the error.
struct PJRT_Error_Message_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_Error* error;
  const char* message;  // out
  size_t message_size;  // out
};
CALLBRIDGE_FROZEN_3(PJRT_Error_Message_Args, 40, error, 16, message, 24, message_size, 32);

// The numbers are those of absl::StatusCode.
struct PJRT_Error_GetCode_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_Error* error;
  int32_t code;  // out
};
CALLBRIDGE_FROZEN_2(PJRT_Error_GetCode_Args, 32, error, 16, code, 24);

// The table goes on with some 100 functions.
struct PJRT_Api {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Api_Version pjrt_api_version;
  void (*PJRT_Error_Destroy)(PJRT_Error_Destroy_Args* args);
  void (*PJRT_Error_Message)(PJRT_Error_Message_Args* args);
  PJRT_Error* (*PJRT_Error_GetCode)(PJRT_Error_GetCode_Args* args);
};
CALLBRIDGE_FROZEN_5(PJRT_Api, 64, extension_start, 8, pjrt_api_version, 16, PJRT_Error_Destroy, 40,
                    PJRT_Error_Message, 48, PJRT_Error_GetCode, 56);

// ---- The extension for GPU custom calls ---------------------------------------------------------

inline constexpr int32_t PJRT_Gpu_Untyped = 0;  // `api_version` of the arguments
inline constexpr int32_t PJRT_Gpu_Typed = 1;

// Up to jaxlib 0.4.31. A later plugin refuses the size with INVALID_ARGUMENT.
struct PJRT_Gpu_Register_Custom_Call_Args_0_4_30 {
  size_t struct_size;
  const char* function_name;
  size_t function_name_size;
  int32_t api_version;
  void* custom_call_function;
};
CALLBRIDGE_FROZEN_4(PJRT_Gpu_Register_Custom_Call_Args_0_4_30, 40, function_name, 8,
                    function_name_size, 16, api_version, 24, custom_call_function, 32);

// Since jaxlib 0.4.34. An untyped function is `handler_execute`. Ends before `traits` up to the
// extension's version 2.
struct PJRT_Gpu_Register_Custom_Call_Args {
  size_t struct_size;
  const char* function_name;
  size_t function_name_size;
  int32_t api_version;
  void* handler_instantiate;
  void* handler_prepare;
  void* handler_initialize;
  void* handler_execute;
  uint32_t traits;  // XLA_FFI_HANDLER_TRAITS_*
};
CALLBRIDGE_FROZEN_8(PJRT_Gpu_Register_Custom_Call_Args, 72, function_name, 8, function_name_size,
                    16, api_version, 24, handler_instantiate, 32, handler_prepare, 40,
                    handler_initialize, 48, handler_execute, 56, traits, 64);

// The `struct_size`: where the last field ends. Plugins that know fewer fields accept it.
inline constexpr size_t PJRT_Gpu_Register_Custom_Call_Args_STRUCT_SIZE = 68;

struct PJRT_Gpu_Custom_Call {
  PJRT_Extension_Base base;
  PJRT_Error* (*custom_call)(void* args);  // either of the structs above
  // Since version 3, which jaxlib 0.12 has: whether custom_call reads `traits`.
  bool custom_call_handles_traits;
};
CALLBRIDGE_FROZEN_2(PJRT_Gpu_Custom_Call, 40, custom_call, 24, custom_call_handles_traits, 32);

// ---- The extension for XLA's FFI ----------------------------------------------------------------

struct PJRT_FFI_Type_Info {
  void (*deleter)(void* object);
  void (*serialize)();
  void (*deserialize)();
};
CALLBRIDGE_FROZEN_3(PJRT_FFI_Type_Info, 24, deleter, 0, serialize, 8, deserialize, 16);

// Ends before `type_info` up to jaxlib 0.7.2; since 0.8.3 that must not be null. Assigns an id if
// `type_id` is 0; otherwise the name gets that id, but up to jaxlib 0.4.38 another one.
struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* type_name;
  size_t type_name_size;
  int64_t type_id;  // in and out
  const PJRT_FFI_Type_Info* type_info;
};
CALLBRIDGE_FROZEN_4(PJRT_FFI_Type_Register_Args, 48, type_name, 16, type_name_size, 24, type_id, 32,
                    type_info, 40);

struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;
  const char* target_name;
  size_t target_name_size;
  void* handler;  // of the stage EXECUTE
  const char* platform_name;
  size_t platform_name_size;
  int32_t traits;
};
CALLBRIDGE_FROZEN_6(PJRT_FFI_Register_Handler_Args, 56, target_name, 8, target_name_size, 16,
                    handler, 24, platform_name, 32, platform_name_size, 40, traits, 48);

struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*type_register)(PJRT_FFI_Type_Register_Args* args);
  PJRT_Error* (*user_data_add)(void* args);
  // Since jaxlib 0.7.2; the extension ends before it in older ones.
  PJRT_Error* (*register_handler)(PJRT_FFI_Register_Handler_Args* args);
};
CALLBRIDGE_FROZEN_3(PJRT_FFI_Extension, 48, type_register, 24, user_data_add, 32, register_handler,
                    40);

#endif  // CALLBRIDGE_PJRT_PJRT_C_API_H_
