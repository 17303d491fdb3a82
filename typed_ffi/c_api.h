// XLA's FFI C ABI, as far as handlers that lead into a BoundCall need it: the call frame, buffers,
// attributes, metadata, and the first slots of the API table. Names and layouts are XLA's, for API
// versions 0.1 to 0.5 (jaxlib 0.6.2 to 0.12.0.1), where all of these structs are alike.
//
// Frozen: runtimes bake these layouts in, and the asserts at the end hold them. A struct's
// `struct_size` is what its writer knew of it; what lies beyond must not be touched.
//
// Standard library alone: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_C_API_H_
#define CALLBRIDGE_TYPED_FFI_C_API_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct XLA_FFI_Error XLA_FFI_Error;
typedef struct XLA_FFI_ExecutionContext XLA_FFI_ExecutionContext;

// ---- Extensions and versions --------------------------------------------------------------------

typedef enum {
  XLA_FFI_Extension_Metadata = 1,
} XLA_FFI_Extension_Type;

typedef struct XLA_FFI_Extension_Base {
  size_t struct_size;
  XLA_FFI_Extension_Type type;
  struct XLA_FFI_Extension_Base* next;
} XLA_FFI_Extension_Base;

typedef struct XLA_FFI_Api_Version {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int major_version;
  int minor_version;
} XLA_FFI_Api_Version;

// ---- The call frame -----------------------------------------------------------------------------

typedef enum {
  XLA_FFI_ExecutionStage_INSTANTIATE = 0,
  XLA_FFI_ExecutionStage_PREPARE = 1,
  XLA_FFI_ExecutionStage_INITIALIZE = 2,
  XLA_FFI_ExecutionStage_EXECUTE = 3,
} XLA_FFI_ExecutionStage;

// An argument or result. `dtype` has the numbers of callbridge::PrimitiveType.
typedef struct XLA_FFI_Buffer {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int32_t dtype;
  void* data;
  int64_t rank;
  int64_t* dims;
} XLA_FFI_Buffer;

enum { XLA_FFI_ArgType_BUFFER = 1 };
enum { XLA_FFI_RetType_BUFFER = 1 };

// `args[i]` is an XLA_FFI_Buffer* where `types[i]` says so.
typedef struct XLA_FFI_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  int32_t* types;
  void** args;
} XLA_FFI_Args;

typedef struct XLA_FFI_Rets {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  int32_t* types;
  void** rets;
} XLA_FFI_Rets;

typedef struct XLA_FFI_ByteSpan {
  const char* ptr;
  size_t len;
} XLA_FFI_ByteSpan;

typedef struct XLA_FFI_Array {
  int32_t dtype;
  size_t size;
  void* data;
} XLA_FFI_Array;

enum {
  XLA_FFI_AttrType_ARRAY = 1,
  XLA_FFI_AttrType_DICTIONARY = 2,
  XLA_FFI_AttrType_SCALAR = 3,
  XLA_FFI_AttrType_STRING = 4,
};

// Sorted by name. `attrs[i]` is an XLA_FFI_Array*, XLA_FFI_ByteSpan*, ... as `types[i]` says.
typedef struct XLA_FFI_Attrs {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  int32_t* types;
  XLA_FFI_ByteSpan** names;
  void** attrs;
} XLA_FFI_Attrs;

struct XLA_FFI_Api;

typedef struct XLA_FFI_CallFrame {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  const struct XLA_FFI_Api* api;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_Args args;
  XLA_FFI_Rets rets;
  XLA_FFI_Attrs attrs;
} XLA_FFI_CallFrame;

typedef XLA_FFI_Error* XLA_FFI_Handler(XLA_FFI_CallFrame* call_frame);

// ---- Metadata -----------------------------------------------------------------------------------

typedef uint32_t XLA_FFI_Handler_TraitsBits;

typedef struct XLA_FFI_Metadata {
  size_t struct_size;
  XLA_FFI_Api_Version api_version;
  XLA_FFI_Handler_TraitsBits traits;
  // From API version 0.2 on a state type id follows, which only stateful handlers write.
} XLA_FFI_Metadata;

typedef struct XLA_FFI_Metadata_Extension {
  XLA_FFI_Extension_Base extension_base;
  XLA_FFI_Metadata* metadata;
} XLA_FFI_Metadata_Extension;

// ---- The API table ------------------------------------------------------------------------------

// The numbers of absl::StatusCode.
typedef struct XLA_FFI_Error_Create_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  const char* message;
  int32_t errc;
} XLA_FFI_Error_Create_Args;

typedef struct XLA_FFI_Error_Destroy_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Error* error;
} XLA_FFI_Error_Destroy_Args;

typedef struct XLA_FFI_Stream_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  void* stream;  // out
} XLA_FFI_Stream_Get_Args;

typedef struct XLA_FFI_Api {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Api_Version api_version;
  const void* internal_api;
  XLA_FFI_Error* (*XLA_FFI_Error_Create)(XLA_FFI_Error_Create_Args* args);
  void* slot_56;  // Error_GetMessage; Error_GetDetails from 0.11 on
  void (*XLA_FFI_Error_Destroy)(XLA_FFI_Error_Destroy_Args* args);
  void* slot_72;  // Handler_Register
  XLA_FFI_Error* (*XLA_FFI_Stream_Get)(XLA_FFI_Stream_Get_Args* args);
} XLA_FFI_Api;

#ifdef __cplusplus
}  // extern "C"

#define CALLBRIDGE_FROZEN(condition) static_assert(condition, "frozen: see this header's rules")
CALLBRIDGE_FROZEN(sizeof(XLA_FFI_Extension_Base) == 24);
CALLBRIDGE_FROZEN(sizeof(XLA_FFI_Api_Version) == 24);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Api_Version, major_version) == 16);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Api_Version, minor_version) == 20);
CALLBRIDGE_FROZEN(sizeof(XLA_FFI_Buffer) == 48);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Buffer, dtype) == 16);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Buffer, data) == 24);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Buffer, rank) == 32);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Buffer, dims) == 40);
CALLBRIDGE_FROZEN(sizeof(XLA_FFI_Args) == 40);
CALLBRIDGE_FROZEN(sizeof(XLA_FFI_Rets) == 40);
CALLBRIDGE_FROZEN(sizeof(XLA_FFI_ByteSpan) == 16);
CALLBRIDGE_FROZEN(sizeof(XLA_FFI_Array) == 24);
CALLBRIDGE_FROZEN(sizeof(XLA_FFI_Attrs) == 48);
CALLBRIDGE_FROZEN(sizeof(XLA_FFI_CallFrame) == 168);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_CallFrame, stage) == 32);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_CallFrame, args) == 40);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_CallFrame, rets) == 80);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_CallFrame, attrs) == 120);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Metadata, api_version) == 8);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Metadata, traits) == 32);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Metadata_Extension, metadata) == 24);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Error_Create_Args, errc) == 24);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Stream_Get_Args, stream) == 24);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Api, api_version) == 16);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Api, XLA_FFI_Error_Create) == 48);
CALLBRIDGE_FROZEN(offsetof(XLA_FFI_Api, XLA_FFI_Stream_Get) == 80);
#undef CALLBRIDGE_FROZEN
#endif

#endif  // CALLBRIDGE_TYPED_FFI_C_API_H_
