// The context that a cross-version handler gets in place of the runtime's.
#ifndef CALLBRIDGE_ADAPTERS_CROSS_VERSION_CONTEXT_H_
#define CALLBRIDGE_ADAPTERS_CROSS_VERSION_CONTEXT_H_

#include <atomic>

#include "callbridge/adapters/cross_version/runtime.h"
#include "callbridge/typed_ffi/c_api.h"

namespace callbridge {

struct CrossVersionHandler;

struct CrossVersionContext {
  const CrossVersionHandler* handler;
  CrossVersionRuntime* runtime;
  // The runtime's context. Null once an asynchronous call has returned: no runtime keeps a context
  // longer than that, but tasks of the handler may still ask for threads.
  std::atomic<XLA_FFI_InvokeContext*> ctx;
  CrossVersionContext* next_spare;

  // The context as the handler gets it.
  XLA_FFI_InvokeContext* get() { return reinterpret_cast<XLA_FFI_InvokeContext*>(this); }
  static CrossVersionContext& Of(XLA_FFI_InvokeContext* ctx) {
    return *reinterpret_cast<CrossVersionContext*>(ctx);
  }
};

// A thread's pool of contexts, which are not on the stack since they can outlive their call.
// Allocates and locks only in a thread's first calls.
class ContextPool {
 public:
  // Returns the calling thread's pool. Finding it costs as much as all else here; the asm keeps the
  // compiler from finding it again at each use.
  static ContextPool& OfThread() {
    ContextPool* contexts = &of_thread_;
    asm("" : "+r"(contexts));
    return *contexts;
  }

  CrossVersionContext& Acquire(const CrossVersionHandler& handler, CrossVersionRuntime& runtime,
                               XLA_FFI_InvokeContext* ctx) {
    CrossVersionContext* const context = first_ != nullptr ? first_ : Make();
    first_ = context->next_spare;
    context->handler = &handler;
    context->runtime = &runtime;
    context->ctx.store(ctx, std::memory_order_relaxed);
    return *context;
  }
  // Must be called on the thread that acquired it.
  void Release(CrossVersionContext& context) {
    context.next_spare = first_;
    first_ = &context;
  }
  // For a call that ends on another thread. Takes a lock.
  static void ReleaseOnAnyThread(CrossVersionContext& context);

 private:
  static CrossVersionContext* Make();

  // `__thread`, so that accessing it does not check whether it is constructed.
  static __thread ContextPool of_thread_;

  CrossVersionContext* first_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_CONTEXT_H_
