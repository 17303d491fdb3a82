#include "callbridge/adapters/foreign_context.h"

#include "callbridge/abi/table_lock.h"

namespace callbridge {
namespace {

// Contexts that no thread keeps. They are never freed, since tasks that a handler left behind may
// still ask by them; there are as many as calls have been under way at once.
// Under the TableLock.
ForeignContext* first_shared = nullptr;

ForeignContext* TakeShared() {
  const TableLock lock;
  ForeignContext* const context = first_shared;
  if (context != nullptr) first_shared = context->next_spare;
  return context;
}

}  // namespace

__thread SpareContexts SpareContexts::of_thread_;

ForeignContext* SpareContexts::Make() {
  // What a thread has at its end goes to the others.
  struct HandingOver {
    ~HandingOver() {
      while (ForeignContext* const context = of_thread_.first_) {
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
  ForeignContext* const context = TakeShared();
  if (context == nullptr) return new ForeignContext{};
  context->next_spare = nullptr;
  return context;
}

void SpareContexts::GiveBackOnAnyThread(ForeignContext& context) {
  const TableLock lock;
  context.next_spare = first_shared;
  first_shared = &context;
}

}  // namespace callbridge
