// xla::ffi::ThreadPool: the runtime's own threads, `.Ctx<ThreadPool>()`.
#ifndef CALLBRIDGE_TYPED_FFI_BINDING_THREAD_POOL_H_
#define CALLBRIDGE_TYPED_FFI_BINDING_THREAD_POOL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "callbridge/typed_ffi/binding/api_functions.h"
#include "callbridge/typed_ffi/binding/decoding.h"
#include "callbridge/typed_ffi/binding/hints.h"
#include "callbridge/typed_ffi/binding/namespace.h"
#include "callbridge/typed_ffi/binding/requests.h"
#include "callbridge/typed_ffi/binding/runtime_errors.h"
#include "callbridge/typed_ffi/c_api.h"

CALLBRIDGE_FFI_NAMESPACE_BEGIN

// Copyable and thread-safe. Valid for the duration of the call; if the handler returns a future,
// until that is completed.
class ThreadPool {
 public:
  // Calls f() once, on any thread and in any order; on this thread, before Schedule() returns, if
  // the runtime has no pool for this call. Tasks must not wait for one another.
  template <typename F>
  void Schedule(F&& f) {
    using Task = std::decay_t<F>;
    auto task = std::make_unique<Task>(std::forward<F>(f));
    auto args = internal::MakeArgs<XLA_FFI_ThreadPool_Schedule_Args>(
        XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE);
    args.ctx = ctx_;
    args.task = [](void* data) { (*std::unique_ptr<Task>(static_cast<Task*>(data)))(); };
    args.data = task.get();
    if (XLA_FFI_Error* error = schedule_(&args)) {
      internal::DestroyError(api_, error);
      (*task)();
    } else {
      task.release();  // NOLINT(bugprone-unused-return-value): the pool owns it
    }
  }

  // Returns 0 if the runtime has no pool for this call, and 1 on jaxlib 0.4.32 to 0.4.37, which
  // cannot tell. On these and up to jaxlib 0.5 it costs an error object, so call it once.
  int64_t num_threads() const {
    using internal::ApiFunction;
    auto* count = internal::FunctionAt<XLA_FFI_ThreadPool_NumThreads>(
        *api_, ::callbridge::typed_ffi::VersionFor(*api_, ApiFunction::kThreadPoolNumThreads),
        ApiFunction::kThreadPoolNumThreads);
    if (count == nullptr) return 1;
    int64_t threads = 0;
    auto args = internal::MakeArgs<XLA_FFI_ThreadPool_NumThreads_Args>(
        XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE);
    args.ctx = ctx_;
    args.num_threads = &threads;
    if (XLA_FFI_Error* error = count(&args)) {
      internal::DestroyError(api_, error);
      return 0;
    }
    return threads;
  }

 private:
  friend struct CtxDecoding<ThreadPool>;

  ThreadPool(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
             XLA_FFI_ThreadPool_Schedule* schedule)
      : api_(api), ctx_(ctx), schedule_(schedule) {}

  const XLA_FFI_Api* api_;
  XLA_FFI_InvokeContext* ctx_;
  XLA_FFI_ThreadPool_Schedule* schedule_;
};

template <>
struct CtxDecoding<ThreadPool> {
  using Type = ThreadPool;
  static constexpr int kMinorVersion =
      internal::MinorVersionOf(internal::ApiFunction::kThreadPoolSchedule);

  static std::optional<Type> Decode(const XLA_FFI_Api* api, XLA_FFI_InvokeContext* ctx,
                                    DiagnosticEngine& diagnostic) {
    using internal::ApiFunction;
    auto* schedule =
        internal::Find<ApiFunction::kThreadPoolSchedule, XLA_FFI_ThreadPool_Schedule>(*api);
    if (XLA_FFI_PREDICT_FALSE(schedule == nullptr)) {
      internal::EmitMissing(diagnostic, api, "ThreadPool", ApiFunction::kThreadPoolSchedule);
      return std::nullopt;
    }
    return ThreadPool(api, ctx, schedule);
  }
};

CALLBRIDGE_FFI_NAMESPACE_END

#endif  // CALLBRIDGE_TYPED_FFI_BINDING_THREAD_POOL_H_
