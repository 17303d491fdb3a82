// One kernel behind each of the functions that XLA, and MindSpore, have called over the years:
// y[i] = b[i % 128] + c[i], as in XLA's documentation of custom calls.
//
// All of them run on the CPU. They submit the kernel to the stream that they are given, and return
// before it runs. So XLA:GPU may record them into a CUDA graph:
//
//   callbridge.jax.load("add_repeated.so", command_buffer_compatible=True)
#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

__global__ void AddRepeatedKernel(const float* b, const float* c, float* y, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = b[i % 128] + c[i];
}

// Returns null, or what is wrong with the launch.
static const char* Launch(CUstream stream, const void* b, const void* c, void* y, int64_t n) {
  if (n == 0) return nullptr;
  constexpr int64_t kThreads = 128;
  const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
  AddRepeatedKernel<<<blocks, kThreads, /*shared memory=*/0, stream>>>(
      static_cast<const float*>(b), static_cast<const float*>(c), static_cast<float*>(y), n);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

// ---- API_VERSION_ORIGINAL: of 2048 elements, and no way to report an error ----------------------

void add_repeated(CUstream stream, void** buffers, const char* opaque, size_t opaque_len) {
  Launch(stream, buffers[0], buffers[1], buffers[2], 2048);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(add_repeated, "CUDA");

// ---- API_VERSION_STATUS_RETURNING, which on GPU is API_VERSION_STATUS_RETURNING_UNIFIED too -----

// The opaque is the number of elements, 8 bytes.
void add_repeated_or_fail(CUstream stream, void** buffers, const char* opaque, size_t opaque_len,
                          XlaCustomCallStatus* status) {
  int64_t n = 0;
  const char* failure = "the opaque is no number of elements";
  if (opaque_len == sizeof(n)) {
    std::memcpy(&n, opaque, sizeof(n));
    failure = Launch(stream, buffers[0], buffers[1], buffers[2], n);
  }
  if (failure != nullptr) XlaCustomCallStatusSetFailure(status, failure, std::strlen(failure));
}
XLA_REGISTER_CUSTOM_CALL_TARGET(add_repeated_or_fail, "CUDA");
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("add_repeated_unified", add_repeated_or_fail, "CUDA");

// ((b, c), n of them as the opaque) -> (y, (y)): nested tuples come as their leaves in preorder.
void add_repeated_twice(CUstream stream, void** buffers, const char* opaque, size_t opaque_len,
                        XlaCustomCallStatus* status) {
  void* second[] = {buffers[0], buffers[1], buffers[3]};
  add_repeated_or_fail(stream, buffers, opaque, opaque_len, status);
  add_repeated_or_fail(stream, second, opaque, opaque_len, status);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(add_repeated_twice, "CUDA");

// ---- API_VERSION_TYPED_FFI ----------------------------------------------------------------------

namespace ffi = xla::ffi;
using F32 = ffi::BufferR1<ffi::F32>;

static ffi::Error AddRepeated(CUstream stream, F32 b, F32 c, ffi::Result<F32> y) {
  if (b.dimensions()[0] != 128 || c.dimensions()[0] != y->dimensions()[0]) {
    return ffi::Error(ffi::ErrorCode::kInvalidArgument, "expected f32[128], f32[n] -> f32[n]");
  }
  const char* failure =
      Launch(stream, b.typed_data(), c.typed_data(), y->typed_data(), y->dimensions()[0]);
  if (failure == nullptr) return ffi::Error::Success();
  return ffi::Error(ffi::ErrorCode::kInternal, failure);
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    AddRepeatedHandler, AddRepeated,
    ffi::Ffi::Bind().Ctx<ffi::PlatformStream<CUstream>>().Arg<F32>().Arg<F32>().Ret<F32>(),
    {ffi::Traits::kCmdBufferCompatible});
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "add_repeated_typed", "CUDA", AddRepeatedHandler);

// ---- MindSpore's AOT operator, "add_repeated.so:AddRepeatedAot" ---------------------------------

extern "C" int AddRepeatedAot(int nparam, void** params, int* ndims, int64_t** shapes,
                              const char** dtypes, void* stream, void* extra) {
  if (nparam != 3 || ndims[2] != 1 || std::strcmp(dtypes[2], "float32") != 0) return 1;
  return Launch(static_cast<CUstream>(stream), params[0], params[1], params[2], shapes[2][0]) !=
                 nullptr
             ? 2
             : 0;
}
