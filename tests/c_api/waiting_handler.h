// when_it_may: a handler whose future is complete as soon as the test lets it be.
#ifndef CALLBRIDGE_TESTS_C_API_WAITING_HANDLER_H_
#define CALLBRIDGE_TESTS_C_API_WAITING_HANDLER_H_

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

#include "xla/ffi/api/ffi.h"

namespace callbridge {

inline std::atomic<bool> may_end{false};

// Waits for may_end on a thread of the runtime, then writes 42.
inline xla::ffi::Future WhenItMay(xla::ffi::ThreadPool pool,
                                  xla::ffi::ResultBuffer<xla::ffi::S32> out) {
  xla::ffi::Promise promise;
  xla::ffi::Future future(promise);
  int32_t* const data = out->typed_data();
  pool.Schedule([promise = std::move(promise), data]() mutable {
    while (!may_end) std::this_thread::yield();
    *data = 42;
    promise.SetAvailable();
  });
  return future;
}
XLA_FFI_DEFINE_HANDLER(
    when_it_may, WhenItMay,
    xla::ffi::Ffi::Bind().Ctx<xla::ffi::ThreadPool>().Ret<xla::ffi::Buffer<xla::ffi::S32>>());

}  // namespace callbridge

#endif  // CALLBRIDGE_TESTS_C_API_WAITING_HANDLER_H_
