// CALLBRIDGE_EXPORT's handlers, with and without the option: each copies f32[100] by the driver;
// `elsewhere` on the default stream, which no graph captures.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

#include "callbridge/export.h"

struct CUstream_st;
using CUstream = CUstream_st*;

static void Copy(CUstream stream, void** buffers, const char*, size_t) {
  using Function = int(void* to, void* from, size_t size, CUstream stream);
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  reinterpret_cast<Function*>(dlsym(driver, "cuMemcpyDtoDAsync_v2"))(buffers[1], buffers[0], 400,
                                                                     stream);
}
static void CopyElsewhere(CUstream, void** buffers, const char* opaque, size_t opaque_len) {
  Copy(nullptr, buffers, opaque, opaque_len);
}
CALLBRIDGE_EXPORT(without, Copy);
CALLBRIDGE_EXPORT(elsewhere, CopyElsewhere);
CALLBRIDGE_EXPORT(with, Copy, callbridge::ExportOptions().CommandBufferCompatible());
