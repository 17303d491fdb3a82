// Targets on CUDA for callbridge.torch, two of them of names that torch_targets.cc has for the CPU,
// and an AOT operator of MindSpore.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "custom_aot_extra.h"
#include "tests/gpu/targets/driver_calls.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;
using Stream = ffi::PlatformStream<CUstream>;

namespace {

// (a, b) -> a + b, of one size.
ffi::Error Add(CUstream stream, F32 a, F32 b, ffi::Result<F32> sum) {
  const size_t n = a.element_count();
  if (n != b.element_count()) return ffi::Error::InvalidArgument("unequal sizes");
  gpu::HostWork work(stream);
  const auto* x = work.Read<float>(a.typed_data(), n);
  const auto* y = work.Read<float>(b.typed_data(), n);
  auto* z = work.Write<float>(sum->typed_data(), n);
  work.Run([=] {
    for (size_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
  });
  return ffi::Error::Success();
}

// Waits, on the calling threads, until `others` calls have come. The result is whether they did.
ffi::Error Meet(CUstream stream, ffi::Result<ffi::Buffer<ffi::S32>> met, int32_t others) {
  static std::mutex mutex;
  static std::condition_variable changed;
  static int32_t calls = 0;
  std::unique_lock<std::mutex> lock(mutex);
  ++calls;
  changed.notify_all();
  const bool all =
      changed.wait_for(lock, std::chrono::seconds(20), [&] { return calls >= others; });
  gpu::Driver::Get().fill(gpu::ToAddress(met->typed_data()), all ? 1 : 0, 1, stream);
  return ffi::Error::Success();
}

}  // namespace

XLA_FFI_DEFINE_HANDLER(kAdd, Add, ffi::Ffi::Bind().Ctx<Stream>().Arg<F32>().Arg<F32>().Ret<F32>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "torch_add", "CUDA", kAdd);
XLA_FFI_DEFINE_HANDLER(
    kMeet, Meet,
    ffi::Ffi::Bind().Ctx<Stream>().Ret<ffi::Buffer<ffi::S32>>().Attr<int32_t>("others"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "torch_meet", "CUDA", kMeet);

// ---- An AOT operator: x -> x * x, by way of a workspace

static int64_t Count(int ndim, const int64_t* shape) {
  int64_t count = 1;
  for (int i = 0; i < ndim; ++i) count *= shape[i];
  return count;
}

extern "C" {

__attribute__((visibility("default"))) int GpuSquareInit(int* ndims, int64_t** shapes, const char**,
                                                         AotExtra* extra) {
  extra->SetWorkSpace({static_cast<size_t>(Count(ndims[0], shapes[0])) * sizeof(float)});
  return 0;
}

__attribute__((visibility("default"))) std::vector<int64_t> GpuSquareInferShape(int* ndims,
                                                                                int64_t** shapes,
                                                                                AotExtra*) {
  return {shapes[0], shapes[0] + ndims[0]};
}

__attribute__((visibility("default"))) int GpuSquare(int nparam, void** params, int* ndims,
                                                     int64_t** shapes, const char**, void* stream,
                                                     void*) {
  if (nparam != 3) return 1;
  auto* const cuda_stream = static_cast<CUstream>(stream);
  const auto n = static_cast<size_t>(Count(ndims[0], shapes[0]));
  gpu::Square(cuda_stream, params[0], params[2], n);
  gpu::Driver::Get().copy(gpu::ToAddress(params[1]), gpu::ToAddress(params[2]), n * sizeof(float),
                          cuda_stream);
  return 0;
}

}  // extern "C"
