// ArenaLayout: where in one block of memory arrays lie that live at different times.
#ifndef CALLBRIDGE_CLIENT_ARENA_LAYOUT_H_
#define CALLBRIDGE_CLIENT_ARENA_LAYOUT_H_

#include <cstddef>
#include <map>

#include "absl/status/statusor.h"

namespace callbridge::client {

class ArenaLayout {
 public:
  // The offset of an array of `size` bytes, aligned. RESOURCE_EXHAUSTED where the arena gets larger
  // than size_t counts.
  absl::StatusOr<size_t> Take(size_t size);
  // Gives back what Take(size) returned.
  void GiveBack(size_t offset, size_t size);

  // Of the whole arena.
  size_t size() const { return size_; }

 private:
  size_t size_ = 0;
  std::multimap<size_t, size_t> free_;  // offsets by size
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_ARENA_LAYOUT_H_
