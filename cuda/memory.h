// DeviceMemory: a block of a CUDA device's memory.
#ifndef CALLBRIDGE_CUDA_MEMORY_H_
#define CALLBRIDGE_CUDA_MEMORY_H_

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/cuda/stream.h"

namespace callbridge {
namespace cuda {

// Allocates `size` bytes in the order of `stream`: work that is enqueued there later may use them.
// Aligned to 256 bytes at least. Returns a pointer that is not null also for 0 bytes.
// RESOURCE_EXHAUSTED says how many bytes were asked for.
absl::StatusOr<void*> Allocate(const Stream& stream, size_t size);

// Frees memory of Allocate(), when the work that is enqueued on `stream` is done with it; waits for
// that on devices without stream-ordered memory. Ignores null.
absl::Status Free(const Stream& stream, void* data);

// Owns a block; frees it at the end, and drops errors. Movable.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  // `stream` must outlive the block.
  static absl::StatusOr<DeviceMemory> Allocate(const Stream& stream, size_t size) {
    absl::StatusOr<void*> data = cuda::Allocate(stream, size);
    if (!data.ok()) return data.status();
    return DeviceMemory(stream, *data, size);
  }
  DeviceMemory(DeviceMemory&& other) noexcept { *this = std::move(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceMemory() {
    if (data_ != nullptr) cuda::Free(*stream_, data_).IgnoreError();
  }

  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  DeviceMemory(const Stream& stream, void* data, size_t size)
      : stream_(&stream), data_(data), size_(size) {}

  const Stream* stream_ = nullptr;
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace cuda
}  // namespace callbridge

#endif  // CALLBRIDGE_CUDA_MEMORY_H_
