#include "callbridge/client/constant_pool.h"

#include <cstring>
#include <utility>

namespace callbridge::client {

absl::StatusOr<size_t> ConstantPool::Add(const void* data, size_t size) {
  absl::StatusOr<AlignedMemory> block = AlignedMemory::Allocate(size);
  if (!block.ok()) return block.status();
  if (size > 0) memcpy(block->data(), data, size);
  blocks_.push_back(*std::move(block));
  return blocks_.size() - 1;
}

}  // namespace callbridge::client
