// Typed handlers that do what measured_target does, for the measurement inside JAX. The same source
// is compiled with callbridge's headers and with XLA's own, of the jaxlib that calls them.
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

static ffi::Error Measured(ffi::AnyBuffer x, ffi::AnyBuffer, ffi::Result<ffi::AnyBuffer> same) {
  *static_cast<float*>(same->untyped_data()) = *static_cast<const float*>(x.untyped_data());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    bound_handler, Measured,
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());

// Answers if XLA asks which version of its API the handler was written for.
static bool AnswersQuery(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start == nullptr) return false;
  auto* extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  extension->metadata->api_version.major_version = 0;
  extension->metadata->api_version.minor_version = 1;
  return true;
}

// By hand, without any check: what no handler can go below.
extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* raw_handler(
    XLA_FFI_CallFrame* frame) {
  if (AnswersQuery(frame)) return nullptr;
  const auto* x = static_cast<const XLA_FFI_Buffer*>(frame->args.args[0]);
  const auto* same = static_cast<const XLA_FFI_Buffer*>(frame->rets.rets[0]);
  *static_cast<float*>(same->data) = *static_cast<const float*>(x->data);
  return nullptr;
}

// Likewise for GPU: asks for the stream, which untyped GPU targets get.
extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* gpu_raw_handler(
    XLA_FFI_CallFrame* frame) {
  if (AnswersQuery(frame)) return nullptr;
  XLA_FFI_Stream_Get_Args stream = {sizeof stream, nullptr, frame->ctx, nullptr};
  return frame->api->XLA_FFI_Stream_Get(&stream);
}
