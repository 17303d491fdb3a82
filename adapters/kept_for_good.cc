#include "callbridge/adapters/kept_for_good.h"

#include <mutex>
#include <set>
#include <utility>

namespace callbridge {

void KeepForGood(std::shared_ptr<const void> library) {
  static auto& mutex = *new std::mutex;
  static auto& kept = *new std::set<std::shared_ptr<const void>>;
  if (library == nullptr) return;
  std::lock_guard<std::mutex> lock(mutex);
  kept.insert(std::move(library));
}

}  // namespace callbridge
