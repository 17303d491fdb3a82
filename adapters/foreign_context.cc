#include "callbridge/adapters/foreign_context.h"

namespace callbridge {

__thread SpareContexts SpareContexts::of_thread_;

ForeignContext* SpareContexts::Make() {
  // What a thread has at its end is freed with it.
  struct Freeing {
    ~Freeing() {
      while (ForeignContext* const context = of_thread_.first_) {
        of_thread_.first_ = context->next_spare;
        delete context;
      }
    }
  };
  static thread_local Freeing freeing;
  static_cast<void>(freeing);
  return new ForeignContext{};
}

}  // namespace callbridge
