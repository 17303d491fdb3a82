/* A handler as one writes it for XLA's c_api.h, in C: adds 1 to each float of its argument. */
#include "xla/ffi/api/c_api.h"

static XLA_FFI_Error* Refuse(const XLA_FFI_Api* api, const char* message) {
  XLA_FFI_Error_Create_Args args = {0};
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = message;
  args.errc = XLA_FFI_Error_Code_INVALID_ARGUMENT;
  return api->XLA_FFI_Error_Create(&args);
}

XLA_FFI_Error* AddOne(XLA_FFI_CallFrame* frame);
XLA_FFI_Error* AddOne(XLA_FFI_CallFrame* frame) {
  const XLA_FFI_Buffer* in;
  const XLA_FFI_Buffer* out;
  int64_t size = 1, i;
  if (frame->struct_size < XLA_FFI_CallFrame_STRUCT_SIZE) return Refuse(frame->api, "old frame");
  if (frame->extension_start != NULL &&
      frame->extension_start->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata* metadata = ((XLA_FFI_Metadata_Extension*)frame->extension_start)->metadata;
    metadata->api_version.major_version = XLA_FFI_API_MAJOR;
    metadata->api_version.minor_version = XLA_FFI_API_MINOR;
    metadata->traits = XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE;
    return NULL;
  }
  if (frame->stage != XLA_FFI_ExecutionStage_EXECUTE) return NULL;
  if (frame->args.size != 1 || frame->args.types[0] != XLA_FFI_ArgType_BUFFER ||
      frame->rets.size != 1 || frame->rets.types[0] != XLA_FFI_RetType_BUFFER) {
    return Refuse(frame->api, "takes one buffer, gives one buffer");
  }
  in = frame->args.args[0];
  out = frame->rets.rets[0];
  if (in->dtype != XLA_FFI_DataType_F32) return Refuse(frame->api, "takes F32");
  for (i = 0; i < in->rank; ++i) size *= in->dims[i];
  for (i = 0; i < size; ++i) ((float*)out->data)[i] = ((const float*)in->data)[i] + 1;
  return NULL;
}

XLA_FFI_Error* Register(const XLA_FFI_Api* api);
XLA_FFI_Error* Register(const XLA_FFI_Api* api) {
  XLA_FFI_Handler_Register_Args args = {0};
  args.struct_size = XLA_FFI_Handler_Register_Args_STRUCT_SIZE;
  args.name.ptr = "add_one";
  args.name.len = 7;
  args.platform.ptr = "Host";
  args.platform.len = 4;
  args.bundle.execute = AddOne;
  return api->XLA_FFI_Handler_Register(&args);
}
