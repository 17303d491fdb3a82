// Functions whose names tell no ABI, to be registered by hand with the right one and with wrong
// ones. All but the opaque's are f32[] -> f32[].
#include <cstddef>

#include "tests/targets/on_each_platform.h"
#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_status.h"

namespace {

namespace ffi = xla::ffi;

using F32 = ffi::Buffer<ffi::F32>;

void Add(void* out, const void* x, float amount) {
  *static_cast<float*>(out) = *static_cast<const float*>(x) + amount;
}

void PlusOne(void* out, const void** in) { Add(out, in[0], 1); }
void PlusTwo(void* out, const void** in) { Add(out, in[0], 2); }

// -> the size of the opaque.
void OpaqueSize(void* out, const void**, const char*, size_t opaque_len, XlaCustomCallStatus*) {
  *static_cast<float*>(out) = static_cast<float>(opaque_len);
}

ffi::Error PlusThree(F32 x, ffi::Result<F32> sum) {
  Add(sum->untyped_data(), x.untyped_data(), 3);
  return ffi::Error::Success();
}

}  // namespace

SYMBOL_ON_EACH_PLATFORM(plus_one, PlusOne, "x -> sum", (void* out, const void** in), (out, in))
SYMBOL_ON_EACH_PLATFORM(plus_two, PlusTwo, "x -> sum", (void* out, const void** in), (out, in))
SYMBOL_ON_EACH_PLATFORM(opaque_size, OpaqueSize, "-> size",
                        (void* out, const void** in, const char* opaque, size_t opaque_len,
                         XlaCustomCallStatus* status),
                        (out, in, opaque, opaque_len, status))
HANDLER_SYMBOL_ON_EACH_PLATFORM(plus_three, PlusThree, ffi::Ffi::Bind().Arg<F32>().Ret<F32>());
