// A typed FFI handler that does its work in tasks on the runtime's threads.
#include <atomic>
#include <chrono>
#include <thread>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

using F32 = ffi::Buffer<ffi::F32>;

// Halves each element in a task of its own.
static ffi::Error Halve(F32 x, ffi::Result<F32> y, ffi::ThreadPool threads) {
  const float* from = x.typed_data();
  float* to = y->typed_data();
  std::atomic<size_t> left{x.element_count()};
  for (size_t i = 0; i < x.element_count(); ++i) {
    threads.Schedule([=, &left] {
      volatile float half = 0.5f;  // so that it is computed when the task runs
      to[i] = half * from[i];
      --left;
    });
  }
  while (left > 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(halve_handler, Halve,
                              ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Ctx<ffi::ThreadPool>());
XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), "halve_on_threads", "Host", halve_handler);
