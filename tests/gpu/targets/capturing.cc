// GPU targets that a CUDA graph may capture, and some that do what a capture forbids: asynchronous
// copies, and kernels of PTX text.
//
// A target counts its calls, and those of them in which its stream was capturing.
#include <stddef.h>
#include <stdint.h>

#include <atomic>
#include <string>

#include "tests/gpu/targets/driver_calls.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

namespace {

using gpu::Address;
using gpu::DriverFunction;
using gpu::ToAddress;

struct Forbidden {
  DriverFunction<Address, Address, size_t> copy_synchronously{"cuMemcpyDtoD_v2"};
  DriverFunction<Address*, size_t> allocate{"cuMemAlloc_v2"};
  DriverFunction<Address> free{"cuMemFree_v2"};

  static const Forbidden& Get() {
    static const Forbidden functions;
    return functions;
  }
};

const char* ErrorName(int error) {
  static const DriverFunction<int, const char**> get_name("cuGetErrorName");
  const char* name = "an unknown error";
  get_name.Try(error, &name);
  return name;
}

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

int LaunchAdd(CUstream stream, const void* x, const void* y, int n, float addend) {
  static gpu::Kernel kernel(kPtx, "add");
  return kernel.TryLaunch(stream, static_cast<unsigned>(n), ToAddress(x), ToAddress(y), n, addend);
}

void Report(XlaCustomCallStatus* status, const char* function, int error) {
  if (error == 0) return;
  const std::string message = std::string(function) + ": " + ErrorName(error);
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
  gpu::Driver::Get().is_capturing(stream, &status);
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
  Report(status, "cuMemcpyDtoDAsync",
         gpu::Driver::Get().copy.Try(ToAddress(buffers[1]), ToAddress(buffers[0]),
                                     kSize * sizeof(float), stream));
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
  gpu::Driver::Get().synchronize.Try(stream);
  LaunchAdd(stream, buffers[0], buffers[1], kSize, 1);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("waits", Waits, "CUDA");

void WaitsAndReports(CUstream stream, void** buffers, const char*, size_t,
                     XlaCustomCallStatus* status) {
  Count(stream);
  Report(status, "cuStreamSynchronize", gpu::Driver::Get().synchronize.Try(stream));
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
  Address memory = 0;
  Report(status, "cuMemAlloc", Forbidden::Get().allocate.Try(&memory, 64));
  LaunchAdd(stream, buffers[0], buffers[1], kSize, 1);
  if (memory != 0) Forbidden::Get().free(memory);
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("allocates", Allocates, "CUDA");

// x -> x
void CopiesSynchronously(CUstream stream, void** buffers, const char*, size_t,
                         XlaCustomCallStatus* status) {
  Count(stream);
  Report(status, "cuMemcpyDtoD",
         Forbidden::Get().copy_synchronously.Try(ToAddress(buffers[1]), ToAddress(buffers[0]),
                                                 kSize * sizeof(float)));
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("copies_synchronously", CopiesSynchronously, "CUDA");

}  // namespace
