// Custom calls for the tests of callbridge.torch: typed handlers, which know the shapes of what
// they get, and a few old functions.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "callbridge/legacy/custom_call_target_registry.h"
#include "xla/ffi/api/ffi.h"
#include "xla/service/custom_call_target_registry.h"

namespace ffi = xla::ffi;

using F32 = ffi::Buffer<ffi::F32>;

namespace {

// ---- Typed handlers -----------------------------------------------------------------------------

ffi::Error Add(F32 a, F32 b, ffi::Result<F32> sum) {
  if (a.element_count() != b.element_count()) return ffi::Error::InvalidArgument("unequal sizes");
  std::transform(a.typed_data(), a.typed_data() + a.element_count(), b.typed_data(),
                 sum->typed_data(), std::plus<>());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kAdd, Add, ffi::Ffi::Bind().Arg<F32>().Arg<F32>().Ret<F32>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "torch_add", "Host", kAdd);

// x[..., n] -> the sums and the largest of the rows, f32[...], and their places, s64[...].
ffi::Error Rows(F32 x, ffi::Result<F32> sums, ffi::Result<F32> largest,
                ffi::Result<ffi::Buffer<ffi::S64>> places) {
  const int64_t size = x.dimensions().back();
  for (size_t row = 0; row < sums->element_count(); ++row) {
    const float* begin = x.typed_data() + row * size;
    float sum = 0;
    for (int64_t i = 0; i < size; ++i) sum += begin[i];
    const float* most = std::max_element(begin, begin + size);
    sums->typed_data()[row] = sum;
    largest->typed_data()[row] = *most;
    places->typed_data()[row] = most - begin;
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    kRows, Rows, ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Ret<F32>().Ret<ffi::Buffer<ffi::S64>>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "torch_rows", "Host", kRows);

// Copies the bytes of any array, and says how many dimensions it has.
ffi::Error Copy(ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y,
                ffi::Result<ffi::Buffer<ffi::S32>> rank) {
  if (x.element_type() != y->element_type()) return ffi::Error::InvalidArgument("another type");
  if (x.size_bytes() != 0) std::memcpy(y->untyped_data(), x.untyped_data(), x.size_bytes());
  *rank->typed_data() = static_cast<int32_t>(x.dimensions().size());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    kCopy, Copy,
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>().Ret<ffi::Buffer<ffi::S32>>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "torch_copy", "Host", kCopy);

// y = x * factor, where y may be x.
ffi::Error Scale(F32 x, ffi::Result<F32> y, float factor) {
  std::transform(x.typed_data(), x.typed_data() + x.element_count(), y->typed_data(),
                 [factor](float value) { return value * factor; });
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kScale, Scale, ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Attr<float>("factor"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "torch_scale", "Host", kScale);

// Adds `by` to x, in its memory, and returns the sum that x had.
ffi::Error AddTo(F32 x, F32 by, ffi::Result<F32> sum) {
  float total = 0;
  for (size_t i = 0; i < x.element_count(); ++i) {
    total += x.typed_data()[i];
    x.typed_data()[i] += by.typed_data()[i];
  }
  *sum->typed_data() = total;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kAddTo, AddTo, ffi::Ffi::Bind().Arg<F32>().Arg<F32>().Ret<F32>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "torch_add_to", "Host", kAddTo);

// Halves each element, in a task of its own.
ffi::Error Halve(F32 x, ffi::Result<F32> y, ffi::ThreadPool threads) {
  std::mutex mutex;
  std::condition_variable changed;
  size_t left = x.element_count();
  for (size_t i = 0; i < x.element_count(); ++i) {
    threads.Schedule([&, i] {
      volatile float half = 0.5f;
      y->typed_data()[i] = half * x.typed_data()[i];
      const std::lock_guard<std::mutex> lock(mutex);
      if (--left == 0) changed.notify_one();
    });
  }
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return left == 0; });
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kHalve, Halve,
                       ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Ctx<ffi::ThreadPool>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "torch_halve", "Host", kHalve);

// The address of x, and how often this was called.
std::atomic<int64_t> calls{0};
ffi::Error Address(ffi::AnyBuffer x, ffi::Result<ffi::Buffer<ffi::S64>> address) {
  address->typed_data()[0] = reinterpret_cast<intptr_t>(x.untyped_data());
  address->typed_data()[1] = ++calls;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kAddress, Address,
                       ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::Buffer<ffi::S64>>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "torch_address", "Host", kAddress);

// Any numbers of arrays: how many there are, and the sum of all.
ffi::Error SumAll(ffi::RemainingArgs args, ffi::Result<F32> sum) {
  float total = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    const auto x = args.get<F32>(i);
    if (!x.has_value()) return x.error();
    for (size_t j = 0; j < x->element_count(); ++j) total += x->typed_data()[j];
  }
  sum->typed_data()[0] = static_cast<float>(args.size());
  sum->typed_data()[1] = total;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kSumAll, SumAll, ffi::Ffi::Bind().RemainingArgs().Ret<F32>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "torch_sum_all", "Host", kSumAll);

// Waits until as many calls as `others` says are here at once.
std::mutex meeting_mutex;
std::condition_variable meeting_changed;
int meeting = 0;
ffi::Error Meet(ffi::Result<ffi::Buffer<ffi::PRED>> met, int32_t others) {
  std::unique_lock<std::mutex> lock(meeting_mutex);
  if (++meeting == others) meeting_changed.notify_all();
  *met->typed_data() =
      meeting_changed.wait_for(lock, std::chrono::seconds(20), [&] { return meeting >= others; });
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kMeet, Meet,
                       ffi::Ffi::Bind().Ret<ffi::Buffer<ffi::PRED>>().Attr<int32_t>("others"));
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "torch_meet", "Host", kMeet);

// ---- Old functions ------------------------------------------------------------------------------

// Halves f32[4].
void HalveFour(void* out, const void** in) {
  volatile float half = 0.5f;
  for (int i = 0; i < 4; ++i) {
    static_cast<float*>(out)[i] = half * static_cast<const float*>(in[0])[i];
  }
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("torch_halve_four", HalveFour);

}  // namespace
