// What the files of libcudart share.
#ifndef CALLBRIDGE_TESTS_GPU_DRIVER_LIBRARIES_RUNTIME_H_
#define CALLBRIDGE_TESTS_GPU_DRIVER_LIBRARIES_RUNTIME_H_

#include "tests/gpu/driver/driver_types.h"

#define RUNTIME_FUNCTION(type, name, ...) \
  extern "C" __attribute__((visibility("default"))) type name(__VA_ARGS__)

namespace standin {

// Remembers an error for cudaGetLastError(). Returns it.
CUresult Keep(CUresult result);

// The thread's context; the primary context of device 0, which becomes current, if it has none.
CUresult CurrentContext(CUcontext* context);

// The primary context of a device, which stays retained.
CUresult PrimaryContext(int device, CUcontext* context);

}  // namespace standin

#endif  // CALLBRIDGE_TESTS_GPU_DRIVER_LIBRARIES_RUNTIME_H_
