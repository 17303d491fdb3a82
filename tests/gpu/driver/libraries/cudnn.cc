// libcudnn.so.8 and .9: XLA asks for a handle and the version, and nothing else of programs of
// custom calls.
#include <cstddef>

#define CUDNN_FUNCTION(result, name, ...) \
  extern "C" __attribute__((visibility("default"))) result name(__VA_ARGS__)

CUDNN_FUNCTION(size_t, cudnnGetVersion) { return CUDNN_VERSION; }
CUDNN_FUNCTION(size_t, cudnnGetCudartVersion) { return CUDART_VERSION; }
CUDNN_FUNCTION(int, cudnnGetProperty, int property, int* value) {
  const int major = CUDNN_VERSION >= 90000 ? CUDNN_VERSION / 10000 : CUDNN_VERSION / 1000;
  const int minor = CUDNN_VERSION >= 90000 ? CUDNN_VERSION / 100 % 100 : CUDNN_VERSION / 100 % 10;
  *value = property == 0 ? major : property == 1 ? minor : CUDNN_VERSION % 100;
  return 0;
}
CUDNN_FUNCTION(int, cudnnCreate, void** handle) {
  static int a_handle;
  *handle = &a_handle;
  return 0;
}
CUDNN_FUNCTION(int, cudnnDestroy, void*) { return 0; }
CUDNN_FUNCTION(int, cudnnSetStream, void*, void*) { return 0; }
CUDNN_FUNCTION(const char*, cudnnGetErrorString, int) {
  return "the stand-in for cuDNN has no operations";
}
