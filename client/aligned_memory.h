// AlignedMemory: a block of host memory for arrays.
#ifndef CALLBRIDGE_CLIENT_ALIGNED_MEMORY_H_
#define CALLBRIDGE_CLIENT_ALIGNED_MEMORY_H_

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "absl/status/statusor.h"

namespace callbridge::client {

// Bytes to which XLA:CPU aligns buffers; old targets may use aligned vector instructions.
inline constexpr size_t kArrayAlignment = 64;

// `size` rounded up to the alignment.
inline constexpr size_t Aligned(size_t size) {
  return (size + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}

class AlignedMemory {
 public:
  AlignedMemory() = default;
  // Uninitialised. RESOURCE_EXHAUSTED where `size` is more than this machine has, or more than can
  // be had now. Of 0 bytes it is a pointer all the same.
  static absl::StatusOr<AlignedMemory> Allocate(size_t size);

  void* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(void* data) const { free(data); }
  };

  std::unique_ptr<void, Free> data_;
};

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_ALIGNED_MEMORY_H_
