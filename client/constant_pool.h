// ConstantPool: the bytes of a module's constants, aligned as XLA:CPU aligns its buffers.
#ifndef CALLBRIDGE_CLIENT_CONSTANT_POOL_H_
#define CALLBRIDGE_CLIENT_CONSTANT_POOL_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "callbridge/abi/aligned_memory.h"

namespace callbridge::client {

class ConstantPool {
 public:
  // The place of a copy of the bytes. RESOURCE_EXHAUSTED where there is no memory for it.
  absl::StatusOr<size_t> Add(const void* data, size_t size);
  // Targets read the bytes there and must not write to them.
  void* at(size_t place) const { return const_cast<char*>(blocks_[place].data()); }

  size_t size() const { return blocks_.size(); }

 private:
  std::vector<AlignedMemory> blocks_;
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_CONSTANT_POOL_H_
