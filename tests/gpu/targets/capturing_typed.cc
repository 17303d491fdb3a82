// Typed handlers that a CUDA graph may capture, for XLA's own headers of any release: one library
// is made of this file for each (-DHEADERS=430 for jaxlib 0.4.30). Each copies f32[100] by the
// driver; `elsewhere` on the default stream, which no graph captures.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

struct CUstream_st;
using CUstream = CUstream_st*;
using F32 = ffi::Buffer<ffi::DataType::F32>;

template <typename Buffer>
uint64_t Address(Buffer& buffer) {
#if HEADERS >= 431
  return reinterpret_cast<uintptr_t>(buffer.untyped_data());
#else
  return reinterpret_cast<uintptr_t>(buffer.data);
#endif
}

static ffi::Error CopyOn(CUstream stream, F32 x, ffi::Result<F32> y) {
  using Function = int(uint64_t to, uint64_t from, size_t size, CUstream stream);
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  auto* const copy = reinterpret_cast<Function*>(dlsym(driver, "cuMemcpyDtoDAsync_v2"));
  if (copy(Address(*y), Address(x), 400, stream) == 0) return ffi::Error::Success();
  return ffi::Error(XLA_FFI_Error_Code_INTERNAL, "cuMemcpyDtoDAsync failed");
}

static ffi::Error Copy(CUstream stream, F32 x, ffi::Result<F32> y) { return CopyOn(stream, x, y); }
static ffi::Error CopyElsewhere(CUstream, F32 x, ffi::Result<F32> y) {
  return CopyOn(nullptr, x, y);
}

#define BINDING ffi::Ffi::Bind().Ctx<ffi::PlatformStream<CUstream>>().Arg<F32>().Ret<F32>()

XLA_FFI_DEFINE_HANDLER_SYMBOL(without, Copy, BINDING);
XLA_FFI_DEFINE_HANDLER_SYMBOL(elsewhere, CopyElsewhere, BINDING);
#if HEADERS >= 434
XLA_FFI_DEFINE_HANDLER_SYMBOL(with, Copy, BINDING, {ffi::Traits::kCmdBufferCompatible});
XLA_FFI_DEFINE_HANDLER_SYMBOL(elsewhere_with, CopyElsewhere, BINDING,
                              {ffi::Traits::kCmdBufferCompatible});
#endif
