#include "callbridge/adapters/cross_version/context.h"

#include "callbridge/abi/table_lock.h"

namespace callbridge {
namespace {

// The contexts that no thread's pool has. Never freed, since tasks of a returned handler may still
// use them; there are as many as calls have run at once. Guarded by the TableLock.
CrossVersionContext* first_shared = nullptr;

CrossVersionContext* TakeShared() {
  const TableLock lock;
  CrossVersionContext* const context = first_shared;
  if (context != nullptr) first_shared = context->next_spare;
  return context;
}

}  // namespace

__thread ContextPool ContextPool::of_thread_;

CrossVersionContext* ContextPool::Make() {
  // A thread that ends leaves its contexts to the others.
  struct HandingOver {
    ~HandingOver() {
      while (CrossVersionContext* const context = of_thread_.first_) {
        of_thread_.first_ = context->next_spare;
        ReleaseOnAnyThread(*context);
      }
    }
  };
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wexit-time-destructors"  // it ends with its thread
#endif
  static thread_local HandingOver handing_over;
#ifdef __clang__
#pragma clang diagnostic pop
#endif
  static_cast<void>(handing_over);
  CrossVersionContext* const context = TakeShared();
  if (context == nullptr) return new CrossVersionContext{};
  context->next_spare = nullptr;
  return context;
}

void ContextPool::ReleaseOnAnyThread(CrossVersionContext& context) {
  const TableLock lock;
  context.next_spare = first_shared;
  first_shared = &context;
}

}  // namespace callbridge
