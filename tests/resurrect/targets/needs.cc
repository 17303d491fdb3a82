// A typed handler, written by hand, in a library that cannot be opened alone: ld.so does not find
// the library that it needs.
#include <cstdint>

#include "callbridge/typed_ffi/c_api.h"

extern "C" {

float Twice(float x);

XLA_FFI_Error* NeedsAnother(XLA_FFI_CallFrame* frame) {
  const auto* extension = frame->extension_start;
  if (extension != nullptr && extension->type == XLA_FFI_Extension_Metadata) {
    auto* query = reinterpret_cast<const XLA_FFI_Metadata_Extension*>(extension);
    query->metadata->api_version.major_version = 0;
    query->metadata->api_version.minor_version = 2;
    return nullptr;
  }
  const auto* x = static_cast<const XLA_FFI_Buffer*>(frame->args.args[0]);
  const auto* y = static_cast<const XLA_FFI_Buffer*>(frame->rets.rets[0]);
  for (int64_t i = 0; i < x->dims[0]; ++i) {
    static_cast<float*>(y->data)[i] = Twice(static_cast<const float*>(x->data)[i]);
  }
  return nullptr;
}

}  // extern "C"
