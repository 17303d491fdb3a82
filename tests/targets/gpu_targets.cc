// GPU targets of every ABI, whose work is asynchronous: kernels and copies on the stream, by the
// driver that the process has open. Linked to nothing.
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

namespace ffi = xla::ffi;

namespace {

// ---- The driver

// Calls a function of the driver; returns its result, or -1 if it has no such function.
template <typename... Parameters>
int Driver(const char* name, Parameters... arguments) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  void* const function = driver != nullptr ? dlsym(driver, name) : nullptr;
  if (function == nullptr) return -1;
  return reinterpret_cast<int (*)(Parameters...)>(function)(arguments...);
}

std::string FailureOf(const char* name, int result) {
  return std::string(name) + " returned " + std::to_string(result);
}

// add: c[i] = a[i] + b[i]. fault: writes where there is no memory.
constexpr char kKernels[] = R"(
.version 7.0
.target sm_75
.address_size 64

.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<6>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<11>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u64 %rd3, [c];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  cvta.to.global.u64 %rd4, %rd1;
  cvta.to.global.u64 %rd5, %rd2;
  cvta.to.global.u64 %rd6, %rd3;
  mul.wide.u32 %rd7, %r5, 4;
  add.s64 %rd8, %rd4, %rd7;
  add.s64 %rd9, %rd5, %rd7;
  add.s64 %rd10, %rd6, %rd7;
  ld.global.f32 %f1, [%rd8];
  ld.global.f32 %f2, [%rd9];
  add.rn.f32 %f3, %f1, %f2;
  st.global.f32 [%rd10], %f3;
DONE:
  ret;
}

.visible .entry fault()
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 16;
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

// Enqueues a kernel with `parameters` for `threads` threads. Returns what failed, or "".
std::string Launch(void* stream, const char* name, unsigned threads, void** parameters) {
  static std::mutex mutex;
  static auto& kernels = *new std::map<std::pair<void*, std::string>, void*>;
  const std::lock_guard<std::mutex> lock(mutex);
  void* context = nullptr;
  int result = Driver("cuCtxGetCurrent", &context);
  if (result != 0 || context == nullptr) return "no context is current";
  void*& kernel = kernels[{context, name}];
  if (kernel == nullptr) {
    void* module = nullptr;
    result = Driver("cuModuleLoadData", &module, static_cast<const void*>(kKernels));
    if (result != 0) return FailureOf("cuModuleLoadData", result);
    result = Driver("cuModuleGetFunction", &kernel, module, name);
    if (result != 0) return FailureOf("cuModuleGetFunction", result);
  }
  constexpr unsigned kBlock = 128;
  result = Driver("cuLaunchKernel", kernel, (threads + kBlock - 1) / kBlock, 1U, 1U, kBlock, 1U, 1U,
                  0U, stream, parameters, static_cast<void**>(nullptr));
  return result != 0 ? FailureOf("cuLaunchKernel", result) : "";
}

std::string Add(void* stream, void* a, void* b, void* c, unsigned n) {
  void* parameters[] = {&a, &b, &c, &n};
  return Launch(stream, "add", n, parameters);
}

unsigned NumberOf(const char* opaque, size_t size) {
  return static_cast<unsigned>(std::stoul(std::string(opaque, size)));
}

}  // namespace

// ---- Untyped

// (f32[n], f32[n]) -> f32[n], the sum; the opaque is n.
void gpu_add(void* stream, void** buffers, const char* opaque, size_t opaque_size) {
  const std::string failure =
      Add(stream, buffers[0], buffers[1], buffers[2], NumberOf(opaque, opaque_size));
  if (!failure.empty()) throw std::runtime_error(failure);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_add, "CUDA");

// (f32[n], token, (f32[n], f32[0])) -> (f32[n], (f32[n])): the two swapped. Six slots, tokens null.
void gpu_swap(void* stream, void** buffers, const char* opaque, size_t opaque_size,
              XlaCustomCallStatus* status) {
  const size_t bytes = 4 * size_t{NumberOf(opaque, opaque_size)};
  const auto address = [&](int i) { return reinterpret_cast<unsigned long long>(buffers[i]); };
  std::string failure = buffers[1] != nullptr ? "a token has a buffer" : "";
  for (const auto& [to, from] : {std::make_pair(4, 2), std::make_pair(5, 0)}) {
    const int result = Driver("cuMemcpyDtoDAsync_v2", address(to), address(from), bytes, stream);
    if (result != 0) failure = FailureOf("cuMemcpyDtoDAsync_v2", result);
  }
  if (!failure.empty()) XlaCustomCallStatusSetFailure(status, failure.data(), failure.size());
}
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_swap, "CUDA");

// Fails with its opaque as the message.
void gpu_fail(void*, void**, const char* opaque, size_t opaque_size, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, opaque, opaque_size);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_fail, "CUDA");

// Enqueues a kernel that faults.
void gpu_fault(void* stream, void**, const char*, size_t, XlaCustomCallStatus* status) {
  const std::string failure = Launch(stream, "fault", 1, nullptr);
  if (!failure.empty()) XlaCustomCallStatusSetFailure(status, failure.data(), failure.size());
}
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_fault, "CUDA");

// f32[n], in place: adds it to itself; the operand and the result are one buffer. The opaque is n.
void gpu_double_in_place(void* stream, void** buffers, const char* opaque, size_t opaque_size,
                         XlaCustomCallStatus* status) {
  const unsigned n = NumberOf(opaque, opaque_size);
  const std::string failure = buffers[0] != buffers[1]
                                  ? "expected one buffer"
                                  : Add(stream, buffers[0], buffers[0], buffers[1], n);
  if (!failure.empty()) XlaCustomCallStatusSetFailure(status, failure.data(), failure.size());
}
XLA_REGISTER_CUSTOM_CALL_TARGET(gpu_double_in_place, "CUDA");

// ---- Typed

using F32 = ffi::Buffer<ffi::F32>;
using S32 = ffi::Buffer<ffi::S32>;

static ffi::Error TypedAdd(void* stream, F32 a, F32 b, ffi::Result<F32> c) {
  const std::string failure = Add(stream, a.typed_data(), b.typed_data(), c->typed_data(),
                                  static_cast<unsigned>(a.element_count()));
  return failure.empty() ? ffi::Error::Success() : ffi::Error::Internal(failure);
}
XLA_FFI_DEFINE_HANDLER(
    kTypedAdd, TypedAdd,
    ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>().Arg<F32>().Arg<F32>().Ret<F32>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "gpu_typed_add", "CUDA", kTypedAdd);

// -> s32[n]: the device ordinal in each element, by way of scratch memory. `bytes` is how much of
// that it takes, at least the result's size.
static ffi::Error Ordinal(void* stream, int32_t ordinal, ffi::RunId, ffi::ScratchAllocator scratch,
                          ffi::Result<S32> result, int64_t bytes, int64_t alignment) {
  const std::optional<void*> memory =
      scratch.Allocate(static_cast<size_t>(bytes), static_cast<size_t>(alignment));
  if (!memory.has_value()) return ffi::Error(ffi::ErrorCode::kDataLoss, "no scratch memory");
  const auto address = [](void* data) { return reinterpret_cast<unsigned long long>(data); };
  const size_t count = result->element_count();
  int failed =
      Driver("cuMemsetD32Async", address(*memory), static_cast<unsigned>(ordinal), count, stream);
  if (failed != 0) return ffi::Error::Internal(FailureOf("cuMemsetD32Async", failed));
  failed = Driver("cuMemcpyDtoDAsync_v2", address(result->untyped_data()), address(*memory),
                  4 * count, stream);
  if (failed != 0) return ffi::Error::Internal(FailureOf("cuMemcpyDtoDAsync_v2", failed));
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kOrdinal, Ordinal,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<void*>>()
                           .Ctx<ffi::DeviceOrdinal>()
                           .Ctx<ffi::RunId>()
                           .Ctx<ffi::ScratchAllocator>()
                           .Ret<S32>()
                           .Attr<int64_t>("bytes")
                           .Attr<int64_t>("alignment"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "gpu_ordinal", "CUDA", kOrdinal);

static ffi::Error TypedFault(void* stream) {
  const std::string failure = Launch(stream, "fault", 1, nullptr);
  return failure.empty() ? ffi::Error::Success() : ffi::Error::Internal(failure);
}
XLA_FFI_DEFINE_HANDLER(kTypedFault, TypedFault, ffi::Ffi::Bind().Ctx<ffi::PlatformStream<void*>>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "gpu_typed_fault", "CUDA", kTypedFault);
