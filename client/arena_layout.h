// ArenaLayout: packs arrays with different lifetimes into one block of memory.
#ifndef CALLBRIDGE_CLIENT_ARENA_LAYOUT_H_
#define CALLBRIDGE_CLIENT_ARENA_LAYOUT_H_

#include <cstddef>
#include <map>

#include "absl/status/statusor.h"

namespace callbridge::client {

class ArenaLayout {
 public:
  // Returns the offset of an array of `size` bytes, aligned. Returns RESOURCE_EXHAUSTED if the
  // arena would exceed the range of size_t.
  absl::StatusOr<size_t> Take(size_t size);
  // Returns an array's memory, which Take(size) returned.
  void GiveBack(size_t offset, size_t size);

  // Returns the size of the whole arena.
  size_t size() const { return size_; }

 private:
  size_t size_ = 0;
  std::multimap<size_t, size_t> free_;  // offsets by size
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_ARENA_LAYOUT_H_
