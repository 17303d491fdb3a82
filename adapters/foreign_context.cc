#include "callbridge/adapters/foreign_context.h"

#include <mutex>

namespace callbridge {
namespace {

// Contexts that no thread keeps. They are never freed, since tasks that a handler left behind may
// still ask by them; there are as many as calls have been under way at once.
struct SharedContexts {
  std::mutex mutex;
  ForeignContext* first = nullptr;

  static SharedContexts& Get() {
    static auto& contexts = *new SharedContexts;
    return contexts;
  }
  void Add(ForeignContext& context) {
    const std::lock_guard<std::mutex> lock(mutex);
    context.next_spare = first;
    first = &context;
  }
  ForeignContext* Take() {
    const std::lock_guard<std::mutex> lock(mutex);
    ForeignContext* const context = first;
    if (context != nullptr) first = context->next_spare;
    return context;
  }
};

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
  ForeignContext* const context = SharedContexts::Get().Take();
  if (context == nullptr) return new ForeignContext{};
  context->next_spare = nullptr;
  return context;
}

void SpareContexts::GiveBackOnAnyThread(ForeignContext& context) {
  SharedContexts::Get().Add(context);
}

}  // namespace callbridge
