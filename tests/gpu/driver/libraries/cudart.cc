// libcudart.so.12 and .13: the versions and the number of devices, which XLA's plugins ask for. The
// rest is in compiled_kernels.cc.
#include <cstddef>

#define RUNTIME_FUNCTION(name, ...) \
  extern "C" __attribute__((visibility("default"))) int name(__VA_ARGS__)

namespace {
constexpr int kSuccess = 0;
}  // namespace

extern "C" int cuInit(unsigned flags);
extern "C" int cuDriverGetVersion(int* version);
extern "C" int cuDeviceGetCount(int* count);

RUNTIME_FUNCTION(cudaRuntimeGetVersion, int* version) {
  *version = CUDART_VERSION;
  return kSuccess;
}
RUNTIME_FUNCTION(cudaDriverGetVersion, int* version) { return cuDriverGetVersion(version); }
RUNTIME_FUNCTION(cudaGetDeviceCount, int* count) {
  const int error = cuInit(0);
  return error != kSuccess ? error : cuDeviceGetCount(count);
}
