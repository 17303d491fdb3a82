// What the example uses of PJRT's C API: the names, numbers and layouts of XLA's
// xla/pjrt/c/pjrt_c_api.h, which is the header to include where it is at hand.
//
// Later versions append fields to the structs of arguments, whose default is 0, and refuse a struct
// that is too small. So each ends in zeros that are `later`, and one program serves all versions.
#ifndef PJRT_H_
#define PJRT_H_

#include <stddef.h>
#include <stdint.h>

typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_Event PJRT_Event;
typedef struct PJRT_Client PJRT_Client;
typedef struct PJRT_Device PJRT_Device;
typedef struct PJRT_Buffer PJRT_Buffer;
typedef struct PJRT_LoadedExecutable PJRT_LoadedExecutable;

enum { kLater = 16 };

typedef struct {
  size_t struct_size;
  void* extension_start;
  PJRT_Error* error;
  const char* message;  // out, of PJRT_Error_Message
  size_t message_size;  // out
} PJRT_Error_Args;

// Of functions that take one object and nothing else: initialize, destroy, wait.
typedef struct {
  size_t struct_size;
  void* extension_start;
  void* object;
  void* later[kLater];
} PJRT_Object_Args;

typedef struct {
  size_t struct_size;
  void* extension_start;
  const char* name;
  size_t name_size;
  int32_t type;  // 4: bool
  int64_t value;
  size_t value_size;  // 1 for a single value
} PJRT_NamedValue;

typedef struct {
  size_t struct_size;
  void* extension_start;
  const PJRT_NamedValue* create_options;
  size_t num_options;
  void* key_value_store[4];
  PJRT_Client* client;  // out
  void* later[kLater];
} PJRT_Client_Create_Args;

typedef struct {
  size_t struct_size;
  void* extension_start;
  PJRT_Client* client;
  PJRT_Device** devices;  // out
  size_t num_devices;     // out
  void* later[kLater];
} PJRT_Client_AddressableDevices_Args;

typedef struct {
  size_t struct_size;
  void* extension_start;
  const char* code;
  size_t code_size;
  const char* format;  // "mlir": StableHLO, as text or bytes
  size_t format_size;
} PJRT_Program;

typedef struct {
  size_t struct_size;
  void* extension_start;
  PJRT_Client* client;
  const PJRT_Program* program;
  const char* compile_options;  // an xla.CompileOptionsProto
  size_t compile_options_size;
  PJRT_LoadedExecutable* executable;  // out
  void* later[kLater];
} PJRT_Client_Compile_Args;

typedef struct {
  size_t struct_size;
  void* extension_start;
  PJRT_Client* client;
  const void* data;
  int32_t type;  // 11: f32
  const int64_t* dims;
  size_t num_dims;
  const int64_t* byte_strides;
  size_t num_byte_strides;
  int32_t host_buffer_semantics;  // 0: `data` is read during the call alone
  PJRT_Device* device;
  void* memory;
  void* device_layout;
  PJRT_Event* done_with_host_buffer;  // out
  PJRT_Buffer* buffer;                // out
  void* later[kLater];
} PJRT_Client_BufferFromHostBuffer_Args;

typedef struct {
  size_t struct_size;
  void* extension_start;
  void* send_callbacks;
  void* recv_callbacks;
  size_t num_send_ops;
  size_t num_recv_ops;
  int32_t launch_id;
  void* later[kLater];
} PJRT_ExecuteOptions;

typedef struct {
  size_t struct_size;
  void* extension_start;
  PJRT_LoadedExecutable* executable;
  PJRT_ExecuteOptions* options;
  PJRT_Buffer* const* const* argument_lists;  // for each device a list
  size_t num_devices;
  size_t num_args;
  PJRT_Buffer** const* output_lists;  // likewise; out
  PJRT_Event** device_complete_events;
  PJRT_Device* execute_device;
  void* later[kLater];
} PJRT_LoadedExecutable_Execute_Args;

typedef struct {
  size_t struct_size;
  void* extension_start;
  PJRT_Buffer* src;
  void* host_layout;
  void* dst;
  size_t dst_size;
  PJRT_Event* event;  // out
  void* later[kLater];
} PJRT_Buffer_ToHostBuffer_Args;

// Functions that are not used here are `unused`.
typedef struct PJRT_Api {
  size_t struct_size;
  void* extension_start;
  size_t version_struct_size;
  void* version_extension_start;
  int32_t major_version;
  int32_t minor_version;
  void (*PJRT_Error_Destroy)(PJRT_Error_Args* args);
  void (*PJRT_Error_Message)(PJRT_Error_Args* args);
  void* unused1;
  PJRT_Error* (*PJRT_Plugin_Initialize)(PJRT_Object_Args* args);
  void* unused2;
  PJRT_Error* (*PJRT_Event_Destroy)(PJRT_Object_Args* args);
  void* unused3[2];
  PJRT_Error* (*PJRT_Event_Await)(PJRT_Object_Args* args);
  void* unused4;
  PJRT_Error* (*PJRT_Client_Create)(PJRT_Client_Create_Args* args);
  PJRT_Error* (*PJRT_Client_Destroy)(PJRT_Object_Args* args);
  void* unused5[4];
  PJRT_Error* (*PJRT_Client_AddressableDevices)(PJRT_Client_AddressableDevices_Args* args);
  void* unused6[3];
  PJRT_Error* (*PJRT_Client_Compile)(PJRT_Client_Compile_Args* args);
  void* unused7;
  PJRT_Error* (*PJRT_Client_BufferFromHostBuffer)(PJRT_Client_BufferFromHostBuffer_Args* args);
  void* unused8[27];
  PJRT_Error* (*PJRT_LoadedExecutable_Destroy)(PJRT_Object_Args* args);
  void* unused9[4];
  PJRT_Error* (*PJRT_LoadedExecutable_Execute)(PJRT_LoadedExecutable_Execute_Args* args);
  void* unused10[2];
  PJRT_Error* (*PJRT_Buffer_Destroy)(PJRT_Object_Args* args);
  void* unused11[11];
  PJRT_Error* (*PJRT_Buffer_ToHostBuffer)(PJRT_Buffer_ToHostBuffer_Args* args);
} PJRT_Api;

#endif  // PJRT_H_
