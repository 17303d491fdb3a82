// An old library of a custom call for GPU, as it was written for the XLA of its day: it knows
// nothing of callbridge or PJRT. Built with the headers of TensorFlow 2.13.1, as the tests do, or
// with callbridge's own:
//
//   c++ -shared -fPIC rotate.cc $(pkg-config --cflags --libs callbridge) -ldl -o rotate.so
#include <dlfcn.h>

#include <cstddef>
#include <cstring>

#include "tensorflow/compiler/xla/service/custom_call_status.h"
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"

// Of cuda.h, which need not be there to build this.
typedef struct CUstream_st* CUstream;
typedef unsigned long long CUdeviceptr;
typedef int CopyFunction(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream);

// The opaque of a call.
struct Rotation {
  int size;   // of the operand and of the result
  int shift;  // from 0 to `size`
};

// Writes the f32 operand, rotated to the left, to the result: buffers[0] and buffers[1], in device
// memory.
void rotate(CUstream stream, void** buffers, const char* opaque, size_t opaque_len,
            XlaCustomCallStatus* status) {
  const auto fail = [status](const char* message) {
    XlaCustomCallStatusSetFailure(status, message, std::strlen(message));
  };
  Rotation rotation;
  if (opaque_len != sizeof(rotation)) return fail("the opaque is no Rotation");
  std::memcpy(&rotation, opaque, sizeof(rotation));
  if (rotation.shift < 0 || rotation.shift > rotation.size) return fail("no such shift");

  void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  void* const function = driver != nullptr ? dlsym(driver, "cuMemcpyDtoDAsync_v2") : nullptr;
  if (function == nullptr) return fail("no CUDA driver");
  auto* const copy = reinterpret_cast<CopyFunction*>(function);
  const auto from = reinterpret_cast<CUdeviceptr>(buffers[0]);
  const auto to = reinterpret_cast<CUdeviceptr>(buffers[1]);
  const size_t head = rotation.shift * sizeof(float);
  const size_t tail = (rotation.size - rotation.shift) * sizeof(float);
  if (copy(to, from + head, tail, stream) != 0 || copy(to + tail, from, head, stream) != 0) {
    fail("a copy failed");
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(rotate, "CUDA");
