#include "callbridge/client/arena_layout.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/aligned_memory.h"

namespace callbridge::client {

absl::StatusOr<size_t> ArenaLayout::Take(size_t size) {
  if (size == 0) return 0;
  size = Aligned(size);
  const auto fitting = free_.lower_bound(size);
  if (fitting != free_.end()) {
    const auto [block_size, offset] = *fitting;
    free_.erase(fitting);
    if (block_size > size) free_.emplace(block_size - size, offset + size);
    return offset;
  }
  if (size > std::numeric_limits<size_t>::max() / 2 - size_) {
    return absl::ResourceExhaustedError(absl::StrCat("the module's arrays take more than ", size_,
                                                     " bytes, and the next one ", size));
  }
  const size_t offset = size_;
  size_ += size;
  return offset;
}

void ArenaLayout::GiveBack(size_t offset, size_t size) {
  if (size > 0) free_.emplace(Aligned(size), offset);
}

}  // namespace callbridge::client
