// The context that a cross-version handler is given in place of the runtime's.
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
  // The runtime's own. Null once an asynchronous call has returned: no runtime keeps a context
  // longer than that, but tasks that the handler left behind may still ask for threads.
  std::atomic<XLA_FFI_InvokeContext*> ctx;
  CrossVersionContext* next_spare;

  // What the handler sees of it.
  XLA_FFI_InvokeContext* get() { return reinterpret_cast<XLA_FFI_InvokeContext*>(this); }
  static CrossVersionContext& Of(XLA_FFI_InvokeContext* ctx) {
    return *reinterpret_cast<CrossVersionContext*>(ctx);
  }
};

// The contexts of a thread. They are lent to calls from here, and not from the stack, since they
// can outlive their call. No allocation and no lock but for a thread's first calls.
class SpareContexts {
 public:
  // The calling thread's. Finding it costs as much as all else here, so the compiler must not find
  // it again at each use, as it likes to.
  static SpareContexts& OfThread() {
    SpareContexts* contexts = &of_thread_;
    asm("" : "+r"(contexts));
    return *contexts;
  }

  CrossVersionContext& Take(const CrossVersionHandler& handler, CrossVersionRuntime& runtime,
                            XLA_FFI_InvokeContext* ctx) {
    CrossVersionContext* const context = first_ != nullptr ? first_ : Make();
    first_ = context->next_spare;
    context->handler = &handler;
    context->runtime = &runtime;
    context->ctx.store(ctx, std::memory_order_relaxed);
    return *context;
  }
  // On the thread that took it.
  void GiveBack(CrossVersionContext& context) {
    context.next_spare = first_;
    first_ = &context;
  }
  // On another one, as when a call ends there. Takes a lock.
  static void GiveBackOnAnyThread(CrossVersionContext& context);

 private:
  static CrossVersionContext* Make();

  // `__thread`, so that using it costs no check whether it is constructed.
  static __thread SpareContexts of_thread_;

  CrossVersionContext* first_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_CROSS_VERSION_CONTEXT_H_
