// Functions whose names tell no ABI, to be registered by hand with the right one and with wrong
// ones. All but the opaque's are f32[] -> f32[].
#include <cstddef>

#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_status.h"

namespace {

namespace ffi = xla::ffi;

using F32 = ffi::Buffer<ffi::F32>;

void Add(void* out, const void* x, float amount) {
  *static_cast<float*>(out) = *static_cast<const float*>(x) + amount;
}

}  // namespace

extern "C" void plus_one(void* out, const void** in) { Add(out, in[0], 1); }
extern "C" void plus_two(void* out, const void** in) { Add(out, in[0], 2); }
// -> the size of the opaque.
extern "C" void opaque_size(void* out, const void**, const char*, size_t opaque_len,
                            XlaCustomCallStatus*) {
  *static_cast<float*>(out) = static_cast<float>(opaque_len);
}

static ffi::Error PlusThree(F32 x, ffi::Result<F32> sum) {
  Add(sum->untyped_data(), x.untyped_data(), 3);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(plus_three, PlusThree, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());
