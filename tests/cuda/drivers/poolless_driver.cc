// A libcuda.so.1 of devices without stream-ordered memory: the stand-in, except that it says so.
#include <dlfcn.h>

#include <cstdlib>

namespace {

template <typename Function>
Function* Find(const char* name) {
  static void* standin = dlopen(CUDA_STANDIN, RTLD_NOW | RTLD_LOCAL);
  if (standin == nullptr) std::abort();
  return reinterpret_cast<Function*>(dlsym(standin, name));
}

}  // namespace

// For functions of at most four parameters, which are integers and pointers.
#define FORWARD(name)                                                                          \
  extern "C" __attribute__((visibility("default"))) int name(long a, long b, long c, long d) { \
    return Find<int(long, long, long, long)>(#name)(a, b, c, d);                               \
  }

FORWARD(cuGetErrorName)
FORWARD(cuGetErrorString)
FORWARD(cuDriverGetVersion)
FORWARD(cuInit)
FORWARD(cuDeviceGetCount)
FORWARD(cuDeviceGet)
FORWARD(cuDevicePrimaryCtxRetain)
FORWARD(cuDevicePrimaryCtxRelease_v2)
FORWARD(cuCtxPushCurrent_v2)
FORWARD(cuCtxPopCurrent_v2)
FORWARD(cuCtxGetDevice)
FORWARD(cuStreamCreate)
FORWARD(cuStreamDestroy_v2)
FORWARD(cuStreamSynchronize)
FORWARD(cuStreamGetCtx)
FORWARD(cuMemAlloc_v2)
FORWARD(cuMemFree_v2)
FORWARD(cuMemcpyHtoDAsync_v2)
FORWARD(cuMemcpyDtoHAsync_v2)
FORWARD(cuMemcpyDtoDAsync_v2)
FORWARD(cuPointerGetAttribute)
FORWARD(cuGraphGetNodes)
// What targets call.
FORWARD(cuCtxGetCurrent)
FORWARD(cuModuleLoadData)
FORWARD(cuModuleGetFunction)

extern "C" __attribute__((visibility("default"))) int cuLaunchKernel(
    void* kernel, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
    unsigned block_z, unsigned shared, void* stream, void** parameters, void** extra) {
  return Find<decltype(cuLaunchKernel)>("cuLaunchKernel")(
      kernel, x, y, z, block_x, block_y, block_z, shared, stream, parameters, extra);
}

extern "C" __attribute__((visibility("default"))) int cuDeviceGetAttribute(int* value,
                                                                           int attribute,
                                                                           int device) {
  constexpr int kMemoryPoolsSupported = 115;
  const int result =
      Find<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute")(value, attribute, device);
  if (attribute == kMemoryPoolsSupported) *value = 0;
  return result;
}

extern "C" __attribute__((visibility("default"))) int cuMemAllocAsync(void*, long, void*) {
  return 801;  // CUDA_ERROR_NOT_SUPPORTED
}
extern "C" __attribute__((visibility("default"))) int cuMemFreeAsync(long, void*) { return 801; }
