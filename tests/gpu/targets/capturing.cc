// GPU targets that a CUDA graph may capture, and some that do what a capture forbids. They call the
// driver directly: asynchronous copies, and kernels of PTX text. Built as users build theirs, with
// nothing of callbridge's.
//
// A target counts its calls, and those of them in which its stream was capturing.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

struct CUstream_st;
struct CUmod_st;
struct CUfunc_st;
using CUstream = CUstream_st*;
using CUdeviceptr = unsigned long long;  // NOLINT(google-runtime-int): the driver's

// ---- The driver ---------------------------------------------------------------------------------

namespace {

// A function of the driver that the process has loaded.
template <typename... Parameters>
struct DriverFunction {
  const char* name;

  int operator()(Parameters... parameters) const {
    static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return reinterpret_cast<int (*)(Parameters...)>(dlsym(driver, name))(parameters...);
  }
};
constexpr DriverFunction<CUdeviceptr, CUdeviceptr, size_t, CUstream> cuMemcpyDtoDAsync = {
    "cuMemcpyDtoDAsync_v2"};
constexpr DriverFunction<CUdeviceptr, CUdeviceptr, size_t> cuMemcpyDtoD = {"cuMemcpyDtoD_v2"};
constexpr DriverFunction<void**> cuCtxGetCurrent = {"cuCtxGetCurrent"};
constexpr DriverFunction<CUdeviceptr*, size_t> cuMemAlloc = {"cuMemAlloc_v2"};
constexpr DriverFunction<CUdeviceptr> cuMemFree = {"cuMemFree_v2"};
constexpr DriverFunction<CUstream> cuStreamSynchronize = {"cuStreamSynchronize"};
constexpr DriverFunction<CUstream, int*> cuStreamIsCapturing = {"cuStreamIsCapturing"};
constexpr DriverFunction<CUmod_st**, const void*> cuModuleLoadData = {"cuModuleLoadData"};
constexpr DriverFunction<CUfunc_st**, CUmod_st*, const char*> cuModuleGetFunction = {
    "cuModuleGetFunction"};
constexpr DriverFunction<CUfunc_st*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                         unsigned, CUstream, void**, void**>
    cuLaunchKernel = {"cuLaunchKernel"};
constexpr DriverFunction<int, const char**> cuGetErrorName = {"cuGetErrorName"};

// y[i] = x[i] + addend, of n floats.
constexpr char kPtx[] = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .entry add(.param .u64 x, .param .u64 y, .param .u32 n, .param .f32 addend) {
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.u32 %r1, [n];
  ld.param.f32 %f1, [addend];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd3, %rd1;
  cvta.to.global.u64 %rd4, %rd2;
  mul.wide.s32 %rd5, %r5, 4;
  add.s64 %rd6, %rd3, %rd5;
  add.s64 %rd7, %rd4, %rd5;
  ld.global.f32 %f2, [%rd6];
  add.f32 %f3, %f2, %f1;
  st.global.f32 [%rd7], %f3;
DONE:
  ret;
}
)";

CUdeviceptr Address(const void* buffer) { return reinterpret_cast<uintptr_t>(buffer); }

// Of the current context.
CUfunc_st* AddKernel() {
  static std::mutex mutex;
  static std::map<void*, CUfunc_st*> kernels;
  void* context = nullptr;
  cuCtxGetCurrent(&context);
  const std::lock_guard<std::mutex> lock(mutex);
  CUfunc_st*& kernel = kernels[context];
  CUmod_st* module = nullptr;
  if (kernel == nullptr && cuModuleLoadData(&module, kPtx) == 0) {
    cuModuleGetFunction(&kernel, module, "add");
  }
  return kernel;
}

int LaunchAdd(CUstream stream, const void* x, const void* y, int n, float addend) {
  CUdeviceptr from = Address(x);
  CUdeviceptr to = Address(y);
  void* parameters[] = {&from, &to, &n, &addend};
  const unsigned blocks = (static_cast<unsigned>(n) + 31) / 32;
  return cuLaunchKernel(AddKernel(), blocks, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr);
}

void Report(XlaCustomCallStatus* status, const char* function, int error) {
  if (error == 0) return;
  const char* name = nullptr;
  cuGetErrorName(error, &name);
  const std::string message = std::string(function) + ": " + (name != nullptr ? name : "?");
  XlaCustomCallStatusSetFailure(status, message.data(), message.size());
}

}  // namespace

// ---- Counters -----------------------------------------------------------------------------------

namespace {

std::atomic<int> calls;
std::atomic<int> captured_calls;

void Count(CUstream stream) {
  ++calls;
  int status = 0;
  cuStreamIsCapturing(stream, &status);
  if (status != 0) ++captured_calls;
}

// () -> (calls, those while capturing), s32[2], since the last time. For Library.run().
void TakeCounts(void* out, const void**) {
  static_cast<int32_t*>(out)[0] = calls.exchange(0);
  static_cast<int32_t*>(out)[1] = captured_calls.exchange(0);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("take_counts", TakeCounts, "Host");

}  // namespace

// ---- What a graph may capture -------------------------------------------------------------------

namespace {

constexpr int kSize = 100;  // of all operands and results, f32[100]

// x -> x + 1
void AddOne(CUstream stream, void** buffers, const char*, size_t) {
  Count(stream);
  LaunchAdd(stream, buffers[0], buffers[1], kSize, 1);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("add_one", AddOne, "CUDA");

// x -> x + the number of the opaque's bytes
void AddSize(CUstream stream, void** buffers, const char*, size_t opaque_len,
             XlaCustomCallStatus* status) {
  Count(stream);
  Report(status, "cuLaunchKernel",
         LaunchAdd(stream, buffers[0], buffers[1], kSize, static_cast<float>(opaque_len)));
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("add_size", AddSize, "CUDA");

// x -> x
void Copy(CUstream stream, void** buffers, const char*, size_t, XlaCustomCallStatus* status) {
  Count(stream);
  Report(
      status, "cuMemcpyDtoDAsync",
      cuMemcpyDtoDAsync(Address(buffers[1]), Address(buffers[0]), kSize * sizeof(float), stream));
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("copy", Copy, "CUDA");

// (x, (y)) -> (y + 1, (x + 2)), two kernels
void Swap(CUstream stream, void** buffers, const char*, size_t) {
  Count(stream);
  LaunchAdd(stream, buffers[1], buffers[2], kSize, 1);
  LaunchAdd(stream, buffers[0], buffers[3], kSize, 2);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("swap", Swap, "CUDA");

// Fails if the opaque is not empty.
void Fail(CUstream stream, void** buffers, const char* opaque, size_t opaque_len,
          XlaCustomCallStatus* status) {
  Count(stream);
  if (opaque_len > 0) return XlaCustomCallStatusSetFailure(status, opaque, opaque_len);
  LaunchAdd(stream, buffers[0], buffers[1], kSize, 0);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("fail", Fail, "CUDA");

// ---- What a capture forbids ---------------------------------------------------------------------
//
// Where they are not captured, all are right. Those of a status report the driver's error; the
// others do not look at it.

// x -> x + 1, as the next three.
void Waits(CUstream stream, void** buffers, const char*, size_t) {
  Count(stream);
  cuStreamSynchronize(stream);
  LaunchAdd(stream, buffers[0], buffers[1], kSize, 1);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("waits", Waits, "CUDA");

void WaitsAndReports(CUstream stream, void** buffers, const char*, size_t,
                     XlaCustomCallStatus* status) {
  Count(stream);
  Report(status, "cuStreamSynchronize", cuStreamSynchronize(stream));
  LaunchAdd(stream, buffers[0], buffers[1], kSize, 1);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("waits_and_reports", WaitsAndReports, "CUDA");

void UsesDefaultStream(CUstream stream, void** buffers, const char*, size_t) {
  Count(stream);
  LaunchAdd(nullptr, buffers[0], buffers[1], kSize, 1);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("uses_default_stream", UsesDefaultStream, "CUDA");

void Allocates(CUstream stream, void** buffers, const char*, size_t, XlaCustomCallStatus* status) {
  Count(stream);
  CUdeviceptr memory = 0;
  Report(status, "cuMemAlloc", cuMemAlloc(&memory, 64));
  LaunchAdd(stream, buffers[0], buffers[1], kSize, 1);
  if (memory != 0) cuMemFree(memory);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("allocates", Allocates, "CUDA");

// x -> x
void CopiesSynchronously(CUstream stream, void** buffers, const char*, size_t,
                         XlaCustomCallStatus* status) {
  Count(stream);
  Report(status, "cuMemcpyDtoD",
         cuMemcpyDtoD(Address(buffers[1]), Address(buffers[0]), kSize * sizeof(float)));
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("copies_synchronously", CopiesSynchronously, "CUDA");

}  // namespace
