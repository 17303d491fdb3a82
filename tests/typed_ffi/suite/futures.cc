// Futures and the runtime's threads, from 0.4.34 on.
#include <chrono>
#include <memory>
#include <thread>

#include "suite.h"

#if SUITE_HEADERS >= 434

namespace {

ffi::Error ToldToFail() { return ffi::Error(ffi::ErrorCode::kAborted, "told to fail later"); }

// A copy that may run when the handler has returned, and its buffers with it.
auto LaterCopy(F32& from, F32& to) {
  return [to = Data(to), from = Data(from), size = Count(from) * sizeof(float)] {
    std::memcpy(to, from, size);
  };
}

// `mode`: 0 finishes at once, 1 fails at once, 2 finishes later, 3 fails later.
ffi::Future Later(F32 a, ffi::Result<F32> copy, int32_t mode) {
  auto promise = std::make_shared<ffi::Promise>();
  ffi::Future future(*promise);
  auto finish = [promise, mode, run = LaterCopy(a, *copy)]() mutable {
    if (mode % 2 == 1) return promise->SetError(ToldToFail());
    run();
    promise->SetAvailable();
  };
  if (mode < 2) {
    finish();
  } else {
    std::thread([finish]() mutable {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      finish();
    }).detach();
  }
  return future;
}

// On the runtime's threads.
ffi::Future OnThreads(F32 a, ffi::Result<F32> copy, ffi::ThreadPool pool) {
  auto promise = std::make_shared<ffi::Promise>();
  ffi::Future future(*promise);
  pool.Schedule([promise, run = LaterCopy(a, *copy)]() mutable {
    run();
    promise->SetAvailable();
  });
  return future;
}

#if SUITE_HEADERS >= 438
ffi::Error NumThreads(ffi::Result<S64> out, ffi::ThreadPool pool) {
  Write(*out, {pool.num_threads() > 0 ? 1.0 : 0.0});
  return Ok();
}
#endif

#if SUITE_HEADERS >= 602
// One thread an element; with `mode` 1 the second fails.
ffi::Future CountedDown(F32 a, ffi::Result<F32> copy, int32_t mode) {
  ffi::CountDownPromise promise(Count(a));
  ffi::Future future(promise);
  const int64_t count = Count(a);
  for (int64_t i = 0; i < count; ++i) {
    std::thread([promise, mode, i, to = Data(*copy), from = Data(a)]() mutable {
      to[i] = from[i];
      if (mode == 1 && i == 1) {
        promise.CountDown(ToldToFail());
      } else {
        promise.CountDown();
      }
    }).detach();
  }
  return future;
}
#endif

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(future, Later,
                              ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Attr<int32_t>("mode"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(thread_pool, OnThreads,
                              ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Ctx<ffi::ThreadPool>());
#if SUITE_HEADERS >= 438
XLA_FFI_DEFINE_HANDLER_SYMBOL(num_threads, NumThreads,
                              ffi::Ffi::Bind().Ret<S64>().Ctx<ffi::ThreadPool>());
#endif
#if SUITE_HEADERS >= 602
XLA_FFI_DEFINE_HANDLER_SYMBOL(count_down, CountedDown,
                              ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Attr<int32_t>("mode"));
#endif

#endif  // SUITE_HEADERS >= 434
