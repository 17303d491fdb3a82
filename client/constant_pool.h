// ConstantPool: the bytes of a module's constants, aligned as XLA:CPU aligns its buffers.
#ifndef CALLBRIDGE_CLIENT_CONSTANT_POOL_H_
#define CALLBRIDGE_CLIENT_CONSTANT_POOL_H_

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "callbridge/abi/aligned_memory.h"

namespace callbridge::client {

class ConstantPool {
 public:
  // Copies the bytes and returns their place in the pool. Returns RESOURCE_EXHAUSTED if there is no
  // memory.
  absl::StatusOr<size_t> Add(const void* data, size_t size) {
    absl::StatusOr<AlignedMemory> block = AlignedMemory::Allocate(size);
    if (!block.ok()) return block.status();
    if (size > 0) memcpy(block->data(), data, size);
    blocks_.push_back(*std::move(block));
    return blocks_.size() - 1;
  }
  // Returns the bytes at `place`, which targets may read and must not write.
  void* at(size_t place) const { return const_cast<char*>(blocks_[place].data()); }

  size_t size() const { return blocks_.size(); }

 private:
  std::vector<AlignedMemory> blocks_;
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_CONSTANT_POOL_H_
