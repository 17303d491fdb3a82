// XLA's FFI C ABI, API version 0.5 (jaxlib 0.12.0.1): how XLA calls a typed handler, and what the
// handler can ask of XLA in turn. Names, numbers and layouts are XLA's own, so that C written for
// XLA's c_api.h compiles with this one. Layouts that older runtimes had are in old_layouts.h.
//
// Frozen: runtimes and handlers bake in every struct here, and the asserts beside each hold it.
//   - No field, slot or enumerator is moved, removed, resized or given another meaning.
//   - A newer API version only appends: a slot to XLA_FFI_Api, a field to a struct, and their
//     STRUCT_SIZE; an enumerator; and XLA_FFI_API_MINOR says so. Where XLA itself changed a struct,
//     the layout that it had goes to old_layouts.h.
//   - tests/typed_ffi compares all of it with XLA's own headers.
//
// Whoever fills a struct sets `struct_size` to <struct>_STRUCT_SIZE, which may be less than sizeof.
// Do not access a struct beyond its `struct_size`, unless the API version says that the field
// exists. `extension_start` is null if nothing is chained to it. The callee writes "out" fields.
//
// Standard headers alone, C99 or C++: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_C_API_H_
#define CALLBRIDGE_TYPED_FFI_C_API_H_

#ifdef XLA_FFI_API_C_API_H_
#error "XLA's own xla/ffi/api/c_api.h was included before callbridge's: use one of the two"
#endif

#include <stddef.h>

#include "callbridge/typed_ffi/c_api_frame.h"
#include "callbridge/typed_ffi/c_api_requests.h"
#include "callbridge/typed_ffi/frozen.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct XLA_FFI_InternalApi XLA_FFI_InternalApi;

// A slot has the name of its function's type, which in C++ needs a qualified name.
#ifdef __cplusplus
#define CALLBRIDGE_SLOT(function) ::function* function
#else
#define CALLBRIDGE_SLOT(function) function* function
#endif

// A slot beyond `struct_size` is absent.
struct XLA_FFI_Api {
  size_t struct_size;
  XLA_FFI_InternalExtension* extension_start;
  XLA_FFI_Api_Version api_version;
  const XLA_FFI_InternalApi* internal_api;
  CALLBRIDGE_SLOT(XLA_FFI_Error_Create);
  CALLBRIDGE_SLOT(XLA_FFI_Error_GetDetails);
  CALLBRIDGE_SLOT(XLA_FFI_Error_Destroy);
  CALLBRIDGE_SLOT(XLA_FFI_Handler_Register);
  CALLBRIDGE_SLOT(XLA_FFI_Stream_Get);
  CALLBRIDGE_SLOT(XLA_FFI_Type_Register);
  CALLBRIDGE_SLOT(XLA_FFI_InvokeContext_Get);
  CALLBRIDGE_SLOT(XLA_FFI_State_Set);
  CALLBRIDGE_SLOT(XLA_FFI_State_Get);
  CALLBRIDGE_SLOT(XLA_FFI_DeviceMemory_Allocate);
  CALLBRIDGE_SLOT(XLA_FFI_DeviceMemory_Free);
  CALLBRIDGE_SLOT(XLA_FFI_ThreadPool_Schedule);
  CALLBRIDGE_SLOT(XLA_FFI_ThreadPool_NumThreads);
  CALLBRIDGE_SLOT(XLA_FFI_Future_Create);
  CALLBRIDGE_SLOT(XLA_FFI_Future_SetAvailable);
  CALLBRIDGE_SLOT(XLA_FFI_Future_SetError);
  CALLBRIDGE_SLOT(XLA_FFI_RunId_Get);
  CALLBRIDGE_SLOT(XLA_FFI_DeviceOrdinal_Get);
  CALLBRIDGE_SLOT(XLA_FFI_InvokeContext_FindExtension);
  CALLBRIDGE_SLOT(XLA_FFI_CustomOptions_Get);
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Api, XLA_FFI_CustomOptions_Get);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api, 208, api_version, 16, internal_api, 40, XLA_FFI_Error_Create, 48,
                    XLA_FFI_Error_GetDetails, 56, XLA_FFI_Error_Destroy, 64,
                    XLA_FFI_Handler_Register, 72, XLA_FFI_Stream_Get, 80, XLA_FFI_Type_Register,
                    88);
CALLBRIDGE_FROZEN_8(XLA_FFI_Api, 208, XLA_FFI_InvokeContext_Get, 96, XLA_FFI_State_Set, 104,
                    XLA_FFI_State_Get, 112, XLA_FFI_DeviceMemory_Allocate, 120,
                    XLA_FFI_DeviceMemory_Free, 128, XLA_FFI_ThreadPool_Schedule, 136,
                    XLA_FFI_ThreadPool_NumThreads, 144, XLA_FFI_Future_Create, 152);
CALLBRIDGE_FROZEN_6(XLA_FFI_Api, 208, XLA_FFI_Future_SetAvailable, 160, XLA_FFI_Future_SetError,
                    168, XLA_FFI_RunId_Get, 176, XLA_FFI_DeviceOrdinal_Get, 184,
                    XLA_FFI_InvokeContext_FindExtension, 192, XLA_FFI_CustomOptions_Get, 200);

// Defined by runtimes. callbridge does not define it.
const XLA_FFI_Api* XLA_FFI_GetApi(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#undef CALLBRIDGE_SLOT

#endif  // CALLBRIDGE_TYPED_FFI_C_API_H_
