// Plain functions, and between them, by name, a typed handler for CUDA that a macro registers which
// does not see its type. Untyped functions for CUDA need no declaration, so it is found out to be
// typed only when it is to be served.
#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_target_registry.h"

namespace ffi = xla::ffi;

namespace {

void Five(void* out, const void**) { *static_cast<float*>(out) = 5; }

ffi::Error Six(ffi::Result<ffi::Buffer<ffi::F32>> out) {
  *out->typed_data() = 6;
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(partly_served_six, Six,
                              ffi::Ffi::Bind().Ret<ffi::Buffer<ffi::F32>>());

XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("partly_a", Five);
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("partly_b", reinterpret_cast<void*>(&partly_served_six),
                                         "CUDA");
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("partly_c", Five);
