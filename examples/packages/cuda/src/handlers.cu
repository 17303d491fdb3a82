// The handlers of mypackage for CUDA. nvcc's libcudart is linked in, and opens the driver when the
// first call comes.
#include <cuda_runtime.h>

#include <cstdint>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;

__global__ void ScaledAddKernel(float scale, const float* x, const float* y, float* out,
                                int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = scale * x[i] + y[i];
}

// Submits the kernel to the call's stream, and returns before it runs.
static ffi::Error ScaledAddImpl(cudaStream_t stream, float scale, F32 x, F32 y,
                                ffi::Result<F32> result) {
  if (x.dimensions() != y.dimensions() || x.dimensions() != result->dimensions()) {
    return ffi::Error::InvalidArgument("expected x, y and the result to have one shape");
  }
  const int64_t n = static_cast<int64_t>(x.element_count());
  if (n == 0) return ffi::Error::Success();
  constexpr int64_t kThreads = 128;
  const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
  ScaledAddKernel<<<blocks, kThreads, /*shared memory=*/0, stream>>>(
      scale, x.typed_data(), y.typed_data(), result->typed_data(), n);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? ffi::Error::Success()
                              : ffi::Error::Internal(cudaGetErrorString(error));
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(ScaledAdd, ScaledAddImpl,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::PlatformStream<cudaStream_t>>()
                                  .Attr<float>("scale")
                                  .Arg<F32>()
                                  .Arg<F32>()
                                  .Ret<F32>(),
                              {ffi::Traits::kCmdBufferCompatible});
