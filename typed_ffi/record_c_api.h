// XLA's FFI Record extension, version 0.2 (jaxlib 0.12.0.1): how a handler at stage RECORD puts
// commands into a graph that XLA launches later. Found by XLA_FFI_InvokeContext_FindExtension.
// c_api.h has the rules, but XLA itself calls this extension unfinished.
//
// Standard headers alone, C99 or C++: this header goes into other people's builds.
#ifndef CALLBRIDGE_TYPED_FFI_RECORD_C_API_H_
#define CALLBRIDGE_TYPED_FFI_RECORD_C_API_H_

#ifdef XLA_FFI_API_RECORD_C_API_H_
#error "XLA's own xla/ffi/api/record_c_api.h was included before callbridge's: use one of the two"
#endif

#include <stddef.h>
#include <stdint.h>

#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/frozen.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XLA_FFI_Extension_Record 128
#define XLA_FFI_Extension_Record_MajorVersion 0
#define XLA_FFI_Extension_Record_MinorVersion 2

// ---- Commands -----------------------------------------------------------------------------------

typedef struct XLA_FFI_RecordContext XLA_FFI_RecordContext;  // the runtime's
typedef struct XLA_FFI_Command XLA_FFI_Command;              // lives as long as the context

typedef enum XLA_FFI_RecordAction CALLBRIDGE_OPEN_ENUM {
  XLA_FFI_RecordAction_Create = 0,
  XLA_FFI_RecordAction_Update = 1,
} XLA_FFI_RecordAction;

// ---- Kernels ------------------------------------------------------------------------------------

typedef enum XLA_FFI_SourceFormat CALLBRIDGE_OPEN_ENUM {
  XLA_FFI_SourceFormat_PTX = 0,
  XLA_FFI_SourceFormat_CUBIN = 1,
  XLA_FFI_SourceFormat_FUNCTION_PTR = 2,  // a function that is loaded already; from 0.2 on
} XLA_FFI_SourceFormat;

typedef struct XLA_FFI_Dim3 {
  int32_t x;
  int32_t y;
  int32_t z;
} XLA_FFI_Dim3;
CALLBRIDGE_FROZEN_3(XLA_FFI_Dim3, 12, x, 0, y, 4, z, 8);

typedef struct XLA_FFI_LaunchDims {
  XLA_FFI_Dim3 grid;
  XLA_FFI_Dim3 block;
  XLA_FFI_Dim3 cluster;  // all 0: none
} XLA_FFI_LaunchDims;
CALLBRIDGE_FROZEN_3(XLA_FFI_LaunchDims, 36, grid, 0, block, 12, cluster, 24);

typedef enum XLA_FFI_KernelArgType CALLBRIDGE_OPEN_ENUM {
  XLA_FFI_KernelArgType_DevicePtr = 0,
  XLA_FFI_KernelArgType_HostValue = 1,
} XLA_FFI_KernelArgType;

// A device address, whose size is 0, or the address of `size` bytes of host memory, which are
// copied.
typedef struct XLA_FFI_KernelArg {
  const void* arg_address;
  int64_t size;
  XLA_FFI_KernelArgType type;
} XLA_FFI_KernelArg;
CALLBRIDGE_FROZEN_3(XLA_FFI_KernelArg, 24, arg_address, 0, size, 8, type, 16);

typedef struct XLA_FFI_KernelArgs {
  const XLA_FFI_KernelArg* args;
  int64_t num_args;
} XLA_FFI_KernelArgs;
CALLBRIDGE_FROZEN_2(XLA_FFI_KernelArgs, 16, args, 0, num_args, 8);

// ---- What can be recorded -----------------------------------------------------------------------

// A command runs after its `dependencies`. Sizes in bytes.
typedef struct XLA_FFI_RecordApi {
  // `kernel_size` is 0 for a FUNCTION_PTR.
  XLA_FFI_Error* (*create_launch)(XLA_FFI_RecordContext* ctx, const char* kernel_name,
                                  const void* kernel_data, int64_t kernel_size,
                                  XLA_FFI_SourceFormat format, XLA_FFI_LaunchDims launch_dims,
                                  uint32_t shared_mem_bytes, int32_t uses_pdl,
                                  const XLA_FFI_KernelArgs* args,
                                  const XLA_FFI_Command* const* dependencies,
                                  uint32_t num_dependencies, const XLA_FFI_Command** out_command);
  XLA_FFI_Error* (*update_launch)(XLA_FFI_RecordContext* ctx, const XLA_FFI_Command* command,
                                  const XLA_FFI_KernelArgs* args);
  XLA_FFI_Error* (*create_memcpy_d2d)(XLA_FFI_RecordContext* ctx, void* dst, void* src,
                                      int64_t size, const XLA_FFI_Command* const* dependencies,
                                      uint32_t num_dependencies,
                                      const XLA_FFI_Command** out_command);
  XLA_FFI_Error* (*update_memcpy_d2d)(XLA_FFI_RecordContext* ctx, const XLA_FFI_Command* command,
                                      void* dst, void* src, int64_t size);
  // Makes XLA call the handler at EXECUTE instead and capture what it does to the stream.
  XLA_FFI_Error* (*request_stream_capture)(XLA_FFI_RecordContext* ctx);
  // Does nothing; joins several dependencies into one.
  XLA_FFI_Error* (*create_empty_command)(XLA_FFI_RecordContext* ctx,
                                         const XLA_FFI_Command* const* dependencies,
                                         uint32_t num_dependencies,
                                         const XLA_FFI_Command** out_command);
} XLA_FFI_RecordApi;
CALLBRIDGE_FROZEN_6(XLA_FFI_RecordApi, 48, create_launch, 0, update_launch, 8, create_memcpy_d2d,
                    16, update_memcpy_d2d, 24, request_stream_capture, 32, create_empty_command,
                    40);

// ---- The extension ------------------------------------------------------------------------------

// `commands` has room for `max_commands`.
typedef struct XLA_FFI_RecordFrame {
  XLA_FFI_RecordContext* record_ctx;
  const XLA_FFI_RecordApi* api;
  XLA_FFI_RecordAction action;
  const XLA_FFI_Command** commands;
  int64_t* num_commands;
  int64_t max_commands;
} XLA_FFI_RecordFrame;
CALLBRIDGE_FROZEN_6(XLA_FFI_RecordFrame, 48, record_ctx, 0, api, 8, action, 16, commands, 24,
                    num_commands, 32, max_commands, 40);

struct XLA_FFI_Record_Extension {
  XLA_FFI_Extension extension_base;
  XLA_FFI_RecordFrame* record_frame;
};
XLA_FFI_DEFINE_STRUCT_TRAITS(XLA_FFI_Record_Extension, record_frame);
CALLBRIDGE_FROZEN_1(XLA_FFI_Record_Extension, 40, record_frame, 32);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_TYPED_FFI_RECORD_C_API_H_
