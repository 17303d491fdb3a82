// Typed handlers for GPU: one source for XLA's own headers of any version and for callbridge's, as
// the handler suite is.
#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "suite.h"
#include "tests/gpu/targets/driver_calls.h"

#if SUITE_HEADERS >= 431
// Counts the calls of a call site.
struct CallCounter {
  static ffi::TypeId id;
#if SUITE_HEADERS >= 803
  static ffi::TypeInfo info;
#endif
  std::atomic<int32_t> calls{0};
};
ffi::TypeId CallCounter::id = {};
extern "C" ffi::TypeId* gpu_call_counter_id() { return &CallCounter::id; }
#if SUITE_HEADERS >= 803
ffi::TypeInfo CallCounter::info = ffi::MakeTypeInfo<CallCounter>();
extern "C" ffi::TypeInfo* gpu_call_counter_info() { return &CallCounter::info; }
#endif
#endif

namespace {

ffi::Error Square(CUstream stream, F32 x, ffi::Result<F32> y) {
  gpu::Square(stream, Data(x), Data(*y), Count(x));
  return Ok();
}

// (a, (b, s)), c -> (a + b * c, (a - c, s)), flattened.
ffi::Error Trees(CUstream stream, F32 a, F32 b, F32 s, F32 c, ffi::Result<F32> sum,
                 ffi::Result<F32> difference, ffi::Result<F32> same) {
  const int64_t n = Count(a);
  gpu::HostWork work(stream);
  const auto* a_values = work.Read<float>(Data(a), n);
  const auto* b_values = work.Read<float>(Data(b), n);
  const auto* s_value = work.Read<float>(Data(s), 1);
  const auto* c_values = work.Read<float>(Data(c), n);
  auto* sums = work.Write<float>(Data(*sum), n);
  auto* differences = work.Write<float>(Data(*difference), n);
  auto* same_value = work.Write<float>(Data(*same), 1);
  work.Run([=] {
    for (int64_t i = 0; i < n; ++i) {
      const float product = b_values[i] * c_values[i];
      sums[i] = a_values[i] + product;
      differences[i] = a_values[i] - c_values[i];
    }
    *same_value = *s_value;
  });
  return Ok();
}

// The sum of the attribute's bytes, as what the 4 bytes of the result are set to.
ffi::Error SumBytes(CUstream stream, std::string_view bytes, ffi::Result<S32> sum) {
  unsigned total = 0;
  for (const char byte : bytes) total += static_cast<unsigned char>(byte);
  gpu::Driver::Get().fill(gpu::ToAddress(Data(*sum)), total, 1, stream);
  return Ok();
}

ffi::Error Fails(std::string_view message, ffi::Result<S32>) {
  return Invalid(std::string(message));
}

// Through two blocks of scratch memory.
ffi::Error Scratch(CUstream stream, F32 x, ffi::Result<F32> y, ffi::ScratchAllocator allocator) {
  const size_t size = Count(x) * sizeof(float);
  const auto first = allocator.Allocate(size), second = allocator.Allocate(size);
  if (!first.has_value() || !second.has_value() || *first == *second)
    return Invalid("no scratch memory");
  const gpu::Driver& driver = gpu::Driver::Get();
  driver.copy(gpu::ToAddress(*first), gpu::ToAddress(Data(x)), size, stream);
  driver.copy(gpu::ToAddress(*second), gpu::ToAddress(*first), size, stream);
  driver.copy(gpu::ToAddress(Data(*y)), gpu::ToAddress(*second), size, stream);
  return Ok();
}

#if SUITE_HEADERS >= 602
ffi::Error Ordinal(CUstream stream, int32_t device, ffi::Result<S32> ordinal) {
  gpu::Driver::Get().fill(gpu::ToAddress(Data(*ordinal)), static_cast<unsigned>(device), 1, stream);
  return Ok();
}
#endif

#if SUITE_HEADERS >= 431
ffi::ErrorOr<std::unique_ptr<CallCounter>> MakeCounter() { return std::make_unique<CallCounter>(); }

ffi::Error CountCalls(CUstream stream, CallCounter* counter, ffi::Result<S32> calls) {
  gpu::Driver::Get().fill(gpu::ToAddress(Data(*calls)), static_cast<unsigned>(++counter->calls), 1,
                          stream);
  return Ok();
}
#endif

#if SUITE_HEADERS >= 803
std::atomic<int32_t> prepared{0};
std::atomic<int32_t> initialized{0};

ffi::Error Prepare() {
  ++prepared;
  return Ok();
}
ffi::Error Initialize() {
  if (prepared == 0) return Invalid("initialized before it was prepared");
  ++initialized;
  return Ok();
}
// 1 if it was prepared, and 2 if it was initialized.
ffi::Error TellStages(CUstream stream, ffi::Result<S32> stages) {
  const unsigned told = (prepared > 0 ? 1 : 0) + (initialized > 0 ? 2 : 0);
  gpu::Driver::Get().fill(gpu::ToAddress(Data(*stages)), told, 1, stream);
  return Ok();
}
#endif

using Stream = ffi::PlatformStream<CUstream>;

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(gpu_typed_square, Square,
                              ffi::Ffi::Bind().Ctx<Stream>().Arg<F32>().Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(gpu_typed_trees, Trees,
                              ffi::Ffi::Bind()
                                  .Ctx<Stream>()
                                  .Arg<F32>()
                                  .Arg<F32>()
                                  .Arg<F32>()
                                  .Arg<F32>()
                                  .Ret<F32>()
                                  .Ret<F32>()
                                  .Ret<F32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    gpu_typed_sum_bytes, SumBytes,
    ffi::Ffi::Bind().Ctx<Stream>().Attr<std::string_view>("bytes").Ret<S32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(gpu_typed_fails, Fails,
                              ffi::Ffi::Bind().Attr<std::string_view>("message").Ret<S32>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    gpu_typed_scratch, Scratch,
    ffi::Ffi::Bind().Ctx<Stream>().Arg<F32>().Ret<F32>().Ctx<ffi::ScratchAllocator>());
#if SUITE_HEADERS >= 602
XLA_FFI_DEFINE_HANDLER_SYMBOL(gpu_typed_ordinal, Ordinal,
                              ffi::Ffi::Bind().Ctx<Stream>().Ctx<ffi::DeviceOrdinal>().Ret<S32>());
#endif
#if SUITE_HEADERS >= 431
XLA_FFI_DEFINE_HANDLER_SYMBOL(gpu_typed_count_instantiate, MakeCounter,
                              ffi::Ffi::BindInstantiate());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    gpu_typed_count, CountCalls,
    ffi::Ffi::Bind().Ctx<Stream>().Ctx<ffi::State<CallCounter>>().Ret<S32>());
#endif
#if SUITE_HEADERS >= 803
XLA_FFI_DEFINE_HANDLER_SYMBOL(gpu_typed_stages_prepare, Prepare, ffi::Ffi::BindPrepare());
XLA_FFI_DEFINE_HANDLER_SYMBOL(gpu_typed_stages_initialize, Initialize, ffi::Ffi::BindInitialize());
XLA_FFI_DEFINE_HANDLER_SYMBOL(gpu_typed_stages, TellStages,
                              ffi::Ffi::Bind().Ctx<Stream>().Ret<S32>());
#endif
