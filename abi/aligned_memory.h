// AlignedMemory: a block of host memory for arrays.
#ifndef CALLBRIDGE_ABI_ALIGNED_MEMORY_H_
#define CALLBRIDGE_ABI_ALIGNED_MEMORY_H_

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "absl/status/statusor.h"

namespace callbridge {

// Bytes to which XLA:CPU aligns buffers; old targets may use aligned vector instructions.
inline constexpr size_t kArrayAlignment = 64;

// Returns `size` rounded up to a multiple of the alignment.
inline constexpr size_t Aligned(size_t size) {
  return (size + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}

class AlignedMemory {
 public:
  // Holds no memory: data() is null, size() is 0.
  AlignedMemory() = default;
  // Allocates uninitialised memory. Returns a pointer that is not null also for 0 bytes, since
  // targets may not expect null. Returns RESOURCE_EXHAUSTED if `size` exceeds the machine's memory,
  // or if the allocation fails.
  static absl::StatusOr<AlignedMemory> Allocate(size_t size);

  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(char* data) const { free(data); }
  };

  std::unique_ptr<char, Free> data_;
  size_t size_ = 0;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_ALIGNED_MEMORY_H_
