#include "callbridge/adapters/cross_version/context.h"

#include "callbridge/abi/table_lock.h"

namespace callbridge {
namespace {

// Contexts that no thread keeps. They are never freed, since tasks that a handler left behind may
// still ask by them; there are as many as calls have been under way at once.
// Under the TableLock.
CrossVersionContext* first_shared = nullptr;

CrossVersionContext* TakeShared() {
  const TableLock lock;
  CrossVersionContext* const context = first_shared;
  if (context != nullptr) first_shared = context->next_spare;
  return context;
}

}  // namespace

__thread SpareContexts SpareContexts::of_thread_;

CrossVersionContext* SpareContexts::Make() {
  // What a thread has at its end goes to the others.
  struct HandingOver {
    ~HandingOver() {
      while (CrossVersionContext* const context = of_thread_.first_) {
        of_thread_.first_ = context->next_spare;
        GiveBackOnAnyThread(*context);
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

void SpareContexts::GiveBackOnAnyThread(CrossVersionContext& context) {
  const TableLock lock;
  context.next_spare = first_shared;
  first_shared = &context;
}

}  // namespace callbridge
