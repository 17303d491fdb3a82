#include "callbridge/adapters/kept_for_good.h"

#include <set>
#include <utility>

#include "callbridge/abi/table_lock.h"

namespace callbridge {

void KeepForGood(std::shared_ptr<const void> library) {
  if (library == nullptr) return;
  const TableLock lock;
  static auto& kept = *new std::set<std::shared_ptr<const void>>;
  kept.insert(std::move(library));
}

}  // namespace callbridge
