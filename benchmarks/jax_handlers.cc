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

// By hand, without any check: what no handler can go below.
extern "C" __attribute__((visibility("default"))) XLA_FFI_Error* raw_handler(
    XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr) {
    // XLA asks which version of its API the handler was written for.
    auto* extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
    extension->metadata->api_version.major_version = 0;
    extension->metadata->api_version.minor_version = 1;
    return nullptr;
  }
  const auto* x = static_cast<const XLA_FFI_Buffer*>(frame->args.args[0]);
  const auto* same = static_cast<const XLA_FFI_Buffer*>(frame->rets.rets[0]);
  *static_cast<float*>(same->data) = *static_cast<const float*>(x->data);
  return nullptr;
}
