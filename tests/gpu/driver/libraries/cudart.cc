// libcudart.so.12 and .13 as far as XLA's plugins look: versions and devices. cudart_kernels.cc has
// kernels.
#include <cstddef>

#define RUNTIME_FUNCTION(name, ...) \
  extern "C" __attribute__((visibility("default"))) int name(__VA_ARGS__)

namespace {
constexpr int kSuccess = 0;
constexpr int kInvalidDevice = 101;
constexpr int kNotSupported = 801;
thread_local int current_device = 0;
}  // namespace

extern "C" int cuInit(unsigned flags);
extern "C" int cuDriverGetVersion(int* version);
extern "C" int cuDeviceGetCount(int* count);
extern "C" int cuGetErrorName(int error, const char** name);

RUNTIME_FUNCTION(cudaRuntimeGetVersion, int* version) {
  *version = CUDART_VERSION;
  return kSuccess;
}
RUNTIME_FUNCTION(cudaDriverGetVersion, int* version) { return cuDriverGetVersion(version); }
RUNTIME_FUNCTION(cudaGetDeviceCount, int* count) {
  const int error = cuInit(0);
  return error != kSuccess ? error : cuDeviceGetCount(count);
}
RUNTIME_FUNCTION(cudaGetDevice, int* device) {
  *device = current_device;
  return kSuccess;
}
RUNTIME_FUNCTION(cudaSetDevice, int device) {
  int count = 0;
  const int error = cudaGetDeviceCount(&count);
  if (error != kSuccess) return error;
  if (device < 0 || device >= count) return kInvalidDevice;
  current_device = device;
  return kSuccess;
}
RUNTIME_FUNCTION(cudaFuncGetAttributes, void*, const void*) { return kNotSupported; }
RUNTIME_FUNCTION(cudaGetFuncBySymbol, void**, const void*) { return kNotSupported; }

extern "C" __attribute__((visibility("default"))) const char* cudaGetErrorName(int error) {
  const char* name = nullptr;
  return cuGetErrorName(error, &name) == kSuccess ? name : "unknown error";
}
extern "C" __attribute__((visibility("default"))) const char* cudaGetErrorString(int error) {
  return cudaGetErrorName(error);
}
