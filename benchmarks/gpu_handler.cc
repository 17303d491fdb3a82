// A typed handler for GPU that asks for the stream, which gpu_measured_target gets, written by
// hand: what no typed handler can go below.
#include "callbridge/typed_ffi/c_api.h"

extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* gpu_raw_handler(
    XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr) {
    // XLA asks which version of its API the handler was written for.
    auto* extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
    extension->metadata->api_version.major_version = 0;
    extension->metadata->api_version.minor_version = 1;
    return nullptr;
  }
  XLA_FFI_Stream_Get_Args stream = {sizeof stream, nullptr, frame->ctx, nullptr};
  return frame->api->XLA_FFI_Stream_Get(&stream);
}
