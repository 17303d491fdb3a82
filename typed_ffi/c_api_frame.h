// XLA's FFI C ABI, what XLA passes to a handler: the call frame, its contents, and the metadata
// query. Included by c_api.h, which has the rules.
#ifndef CALLBRIDGE_TYPED_FFI_C_API_FRAME_H_
#define CALLBRIDGE_TYPED_FFI_C_API_FRAME_H_

#include <stddef.h>
#include <stdint.h>

#include "callbridge/typed_ffi/frozen.h"

// Bytes from the struct's start to the end of `last_field`.
#ifdef __cplusplus
#define XLA_FFI_STRUCT_SIZE(struct_type, last_field) \
  /* NOLINTNEXTLINE(bugprone-sizeof-expression) */   \
  (offsetof(struct_type, last_field) + sizeof(struct_type::last_field))
#else
#define XLA_FFI_STRUCT_SIZE(struct_type, last_field) \
  /* NOLINTNEXTLINE(bugprone-sizeof-expression) */   \
  (offsetof(struct_type, last_field) + sizeof(((struct_type*)0)->last_field))
#endif

// Defines the struct's name as a type, and <sname>_STRUCT_SIZE.
#define XLA_FFI_DEFINE_STRUCT_TRAITS(sname, last_field) \
  typedef struct sname sname;                           \
  enum { sname##_STRUCT_SIZE = XLA_FFI_STRUCT_SIZE(sname, last_field) }

// For enums that the other side writes: in C++ a number of a later version is a valid value too.
#ifdef __cplusplus
#define CALLBRIDGE_OPEN_ENUM : int
#else
#define CALLBRIDGE_OPEN_ENUM
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- Versions and extensions --------------------------------------------------------------------

#define XLA_FFI_API_MAJOR 0
#define XLA_FFI_API_MINOR 5

typedef enum CALLBRIDGE_OPEN_ENUM {
  XLA_FFI_Extension_Metadata = 1,
} XLA_FFI_InternalExtension_Type;

// Chained to a struct's `extension_start`. Handlers receive only the metadata query.
struct XLA_FFI_InternalExtension {
  size_t struct_size;
  XLA_FFI_InternalExtension_Type type;
  struct XLA_FFI_InternalExtension* next;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_InternalExtension, next);
CALLBRIDGE_FROZEN_2(XLA_FFI_InternalExtension, 24, type, 8, next, 16);

struct XLA_FFI_Api_Version {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  int major_version;  // out
  int minor_version;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api_Version, minor_version);
CALLBRIDGE_FROZEN_2(XLA_FFI_Api_Version, 24, major_version, 16, minor_version, 20);

// An extension's own version, independent of the API's.
struct XLA_FFI_ExtensionId {
  int64_t extension_type;
  int32_t major_version;
  int32_t minor_version;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_ExtensionId, minor_version);
CALLBRIDGE_FROZEN_2(XLA_FFI_ExtensionId, 16, major_version, 8, minor_version, 12);

// The first field of the struct that XLA_FFI_InvokeContext_FindExtension finds. Valid for the
// duration of the call.
struct XLA_FFI_Extension {
  size_t struct_size;
  XLA_FFI_ExtensionId id;
  const struct XLA_FFI_Extension* next;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Extension, next);
CALLBRIDGE_FROZEN_2(XLA_FFI_Extension, 32, id, 8, next, 24);

// ---- Values -------------------------------------------------------------------------------------

// The numbers of xla::PrimitiveType, and of callbridge::PrimitiveType.
typedef enum CALLBRIDGE_OPEN_ENUM {
  XLA_FFI_DataType_INVALID = 0,
  XLA_FFI_DataType_PRED = 1,
  XLA_FFI_DataType_S8 = 2,
  XLA_FFI_DataType_S16 = 3,
  XLA_FFI_DataType_S32 = 4,
  XLA_FFI_DataType_S64 = 5,
  XLA_FFI_DataType_U8 = 6,
  XLA_FFI_DataType_U16 = 7,
  XLA_FFI_DataType_U32 = 8,
  XLA_FFI_DataType_U64 = 9,
  XLA_FFI_DataType_F16 = 10,
  XLA_FFI_DataType_F32 = 11,
  XLA_FFI_DataType_F64 = 12,
  XLA_FFI_DataType_C64 = 15,
  XLA_FFI_DataType_BF16 = 16,
  XLA_FFI_DataType_TOKEN = 17,
  XLA_FFI_DataType_C128 = 18,
  XLA_FFI_DataType_F8E5M2 = 19,
  XLA_FFI_DataType_F8E4M3FN = 20,
  XLA_FFI_DataType_S4 = 21,
  XLA_FFI_DataType_U4 = 22,
  XLA_FFI_DataType_F8E4M3B11FNUZ = 23,
  XLA_FFI_DataType_F8E5M2FNUZ = 24,
  XLA_FFI_DataType_F8E4M3FNUZ = 25,
  XLA_FFI_DataType_S2 = 26,
  XLA_FFI_DataType_U2 = 27,
  XLA_FFI_DataType_F8E4M3 = 28,
  XLA_FFI_DataType_F8E3M4 = 29,
  XLA_FFI_DataType_S1 = 30,
  XLA_FFI_DataType_U1 = 31,
  XLA_FFI_DataType_F4E2M1FN = 32,
  XLA_FFI_DataType_F8E8M0FNU = 33,
} XLA_FFI_DataType;

// Bytes, not NUL-terminated.
typedef struct XLA_FFI_ByteSpan {
  const char* ptr;
  size_t len;
} XLA_FFI_ByteSpan;
CALLBRIDGE_FROZEN_1(XLA_FFI_ByteSpan, 16, len, 8);

typedef struct XLA_FFI_Scalar {
  XLA_FFI_DataType dtype;
  void* value;
} XLA_FFI_Scalar;
CALLBRIDGE_FROZEN_1(XLA_FFI_Scalar, 16, value, 8);

// `size` elements.
typedef struct XLA_FFI_Array {
  XLA_FFI_DataType dtype;
  size_t size;
  void* data;
} XLA_FFI_Array;
CALLBRIDGE_FROZEN_2(XLA_FFI_Array, 24, size, 8, data, 16);

// A dense, row-major argument or result of `rank` dimensions. Do not read the `data` of a token.
struct XLA_FFI_Buffer {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_DataType dtype;
  void* data;
  int64_t rank;
  int64_t* dims;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Buffer, dims);
CALLBRIDGE_FROZEN_4(XLA_FFI_Buffer, 48, dtype, 16, data, 24, rank, 32, dims, 40);

// ---- Errors and futures -------------------------------------------------------------------------

// Returned by handlers and by most functions of the API; null is success. The receiver owns it.
typedef struct XLA_FFI_Error XLA_FFI_Error;

// The numbers of absl::StatusCode.
typedef enum CALLBRIDGE_OPEN_ENUM {
  XLA_FFI_Error_Code_OK = 0,
  XLA_FFI_Error_Code_CANCELLED = 1,
  XLA_FFI_Error_Code_UNKNOWN = 2,
  XLA_FFI_Error_Code_INVALID_ARGUMENT = 3,
  XLA_FFI_Error_Code_DEADLINE_EXCEEDED = 4,
  XLA_FFI_Error_Code_NOT_FOUND = 5,
  XLA_FFI_Error_Code_ALREADY_EXISTS = 6,
  XLA_FFI_Error_Code_PERMISSION_DENIED = 7,
  XLA_FFI_Error_Code_RESOURCE_EXHAUSTED = 8,
  XLA_FFI_Error_Code_FAILED_PRECONDITION = 9,
  XLA_FFI_Error_Code_ABORTED = 10,
  XLA_FFI_Error_Code_OUT_OF_RANGE = 11,
  XLA_FFI_Error_Code_UNIMPLEMENTED = 12,
  XLA_FFI_Error_Code_INTERNAL = 13,
  XLA_FFI_Error_Code_UNAVAILABLE = 14,
  XLA_FFI_Error_Code_DATA_LOSS = 15,
  XLA_FFI_Error_Code_UNAUTHENTICATED = 16
} XLA_FFI_Error_Code;

// Returned by a handler whose work goes on after it has returned.
typedef struct XLA_FFI_Future XLA_FFI_Future;

// ---- The call frame -----------------------------------------------------------------------------

// The context of one call. Handlers pass it to the API's functions.
typedef struct XLA_FFI_InvokeContext XLA_FFI_InvokeContext;
typedef XLA_FFI_InvokeContext XLA_FFI_ExecutionContext;  // its name up to API version 0.3

// When XLA calls the handler: at INSTANTIATE once for each executable, at the others in each run.
// Arguments and results have data at EXECUTE only. XLA:CPU calls INSTANTIATE and EXECUTE alone.
typedef enum CALLBRIDGE_OPEN_ENUM {
  XLA_FFI_ExecutionStage_INSTANTIATE = 0,
  XLA_FFI_ExecutionStage_PREPARE = 1,
  XLA_FFI_ExecutionStage_INITIALIZE = 2,
  XLA_FFI_ExecutionStage_EXECUTE = 3,
  XLA_FFI_ExecutionStage_RECORD = 4,
} XLA_FFI_ExecutionStage;

typedef enum CALLBRIDGE_OPEN_ENUM {
  XLA_FFI_ArgType_BUFFER = 1,
} XLA_FFI_ArgType;

typedef enum CALLBRIDGE_OPEN_ENUM {
  XLA_FFI_RetType_BUFFER = 1,
} XLA_FFI_RetType;

// What `attrs` points to: XLA_FFI_Array, XLA_FFI_Attrs, XLA_FFI_Scalar, XLA_FFI_ByteSpan.
typedef enum CALLBRIDGE_OPEN_ENUM {
  XLA_FFI_AttrType_ARRAY = 1,
  XLA_FFI_AttrType_DICTIONARY = 2,
  XLA_FFI_AttrType_SCALAR = 3,
  XLA_FFI_AttrType_STRING = 4,
} XLA_FFI_AttrType;

// `args[i]` is an XLA_FFI_Buffer* where `types[i]` says so.
struct XLA_FFI_Args {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  int64_t size;
  XLA_FFI_ArgType* types;
  void** args;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Args, args);
CALLBRIDGE_FROZEN_3(XLA_FFI_Args, 40, size, 16, types, 24, args, 32);

struct XLA_FFI_Rets {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  int64_t size;
  XLA_FFI_RetType* types;
  void** rets;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Rets, rets);
CALLBRIDGE_FROZEN_3(XLA_FFI_Rets, 40, size, 16, types, 24, rets, 32);

// Sorted by name.
struct XLA_FFI_Attrs {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  int64_t size;
  XLA_FFI_AttrType* types;
  XLA_FFI_ByteSpan** names;
  void** attrs;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Attrs, attrs);
CALLBRIDGE_FROZEN_4(XLA_FFI_Attrs, 48, size, 16, types, 24, names, 32, attrs, 40);

// `future` lies beyond STRUCT_SIZE and exists since API version 0.1. If the handler sets it, XLA
// keeps arguments, results and attributes until the future is completed.
struct XLA_FFI_CallFrame {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  const struct XLA_FFI_Api* api;
  XLA_FFI_InvokeContext* ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_Args args;
  XLA_FFI_Rets rets;
  XLA_FFI_Attrs attrs;
  XLA_FFI_Future* future;  // out
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_CallFrame, attrs);
CALLBRIDGE_FROZEN_7(XLA_FFI_CallFrame, 176, api, 16, ctx, 24, stage, 32, args, 40, rets, 80, attrs,
                    120, future, 168);

// ---- Handlers -----------------------------------------------------------------------------------

typedef XLA_FFI_Error* XLA_FFI_Handler(XLA_FFI_CallFrame* call_frame);

// One handler for each stage. All but `execute` may be null.
typedef struct XLA_FFI_Handler_Bundle {
  XLA_FFI_Handler* instantiate;
  XLA_FFI_Handler* prepare;
  XLA_FFI_Handler* initialize;
  XLA_FFI_Handler* execute;
  XLA_FFI_Handler* record;
} XLA_FFI_Handler_Bundle;
CALLBRIDGE_FROZEN_4(XLA_FFI_Handler_Bundle, 40, prepare, 8, initialize, 16, execute, 24, record,
                    32);

// Bits of XLA_FFI_Handler_Traits.
enum XLA_FFI_Handler_TraitsBits {
  // The handler does the same device work in every call, so that XLA may capture and replay it.
  XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1u << 0,
};

typedef uint32_t XLA_FFI_Handler_Traits;

// ---- Types of state and of user data ------------------------------------------------------------

typedef struct XLA_FFI_TypeId {
  int64_t type_id;
} XLA_FFI_TypeId;
CALLBRIDGE_FROZEN(XLA_FFI_TypeId, 8);

#ifdef __cplusplus
#define XLA_FFI_UNKNOWN_TYPE_ID (XLA_FFI_TypeId{0})
#else
#define XLA_FFI_UNKNOWN_TYPE_ID ((XLA_FFI_TypeId){0})
#endif

// How XLA deletes objects of a type.
struct XLA_FFI_TypeInfo {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  void (*deleter)(void* object);
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_TypeInfo, deleter);
CALLBRIDGE_FROZEN_1(XLA_FFI_TypeInfo, 24, deleter, 16);

// ---- The metadata query: a frame without a call, with this extension ----------------------------

// `state_type_id` lies beyond STRUCT_SIZE and exists since API version 0.2. Before, writing it
// overruns the object.
struct XLA_FFI_Metadata {
  size_t struct_size;
  XLA_FFI_Api_Version api_version;
  XLA_FFI_Handler_Traits traits;
  XLA_FFI_TypeId state_type_id;  // XLA_FFI_UNKNOWN_TYPE_ID if the handler has no state
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Metadata, traits);
CALLBRIDGE_FROZEN_3(XLA_FFI_Metadata, 48, api_version, 8, traits, 32, state_type_id, 40);

struct XLA_FFI_Metadata_Extension {
  XLA_FFI_InternalExtension extension_base;
  XLA_FFI_Metadata* metadata;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Metadata_Extension, metadata);
CALLBRIDGE_FROZEN_1(XLA_FFI_Metadata_Extension, 32, metadata, 24);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_TYPED_FFI_C_API_FRAME_H_
