// One name, registered as an untyped function and as a typed handler.
#include <cstdint>

#include "callbridge/callbridge_ffi.h"
#include "tests/targets/on_each_platform.h"
#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;

void Untyped(void* out, const void** in) {
  *static_cast<float*>(out) = -*static_cast<const float*>(in[0]);
}
ON_EACH_PLATFORM("twin", Untyped, "x -> negative");

ffi::Error Typed(ffi::Buffer<ffi::F32> in, float scale, ffi::Result<ffi::Buffer<ffi::F32>> out) {
  *out->typed_data() = *in.typed_data() * scale;
  return ffi::Error::Success();
}

DEFINE_HANDLER_ON_EACH_PLATFORM(kTyped, Typed,
                                ffi::Ffi::Bind()
                                    .Arg<ffi::Buffer<ffi::F32>>()
                                    .Attr<float>("scale")
                                    .Ret<ffi::Buffer<ffi::F32>>());
XLA_FFI_REGISTER_HANDLER(callbridge_xla_ffi_api(), "twin", PLATFORM, kTyped);

}  // namespace
