// Scratch memory for handlers.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_SCRATCH_MEMORY_H_
#define CALLBRIDGE_TYPED_FFI_HOST_SCRATCH_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace callbridge {
namespace host {

// Allocates memory on the device of the call. Implement it for other memory than the host's.
// Implementations must be thread-safe.
class ScratchAllocator {
 public:
  virtual ~ScratchAllocator() = default;
  // Returns null if there is no memory. `size` in bytes, may be 0; `alignment` in bytes, a power of
  // two.
  virtual void* Allocate(size_t size, size_t alignment) = 0;
  // `size` is the size that was passed to Allocate().
  virtual void Free(void* data, size_t size) = 0;
  // Returns why Allocate() has just returned null to this thread.
  virtual absl::Status Failure(size_t size) const;
};

// Allocates host memory.
class HostScratchAllocator : public ScratchAllocator {
 public:
  void* Allocate(size_t size, size_t alignment) override;
  void Free(void* data, size_t size) override;
};

// Hands out a block that the program around one call gives it. Each allocation begins at a multiple
// of kUnit bytes from the block's beginning. Only the last one that is still there is given back by
// Free(); a call that frees them in another order has all of the block at its end.
class BlockScratchAllocator : public ScratchAllocator {
 public:
  static constexpr size_t kUnit = 64;

  // Borrows `block`, of `size` bytes.
  BlockScratchAllocator(void* block, size_t size)
      : block_(reinterpret_cast<uintptr_t>(block)), size_(size) {}

  void* Allocate(size_t size, size_t alignment) override;
  void Free(void* data, size_t size) override;
  // RESOURCE_EXHAUSTED, with the size of the block and with that which would do.
  absl::Status Failure(size_t size) const override;

  // Returns the status of the call, given that which the handler made of it: Failure(), behind the
  // handler's own words, if an allocation had failed.
  absl::Status Outcome(const absl::Status& failed) const;

 private:
  const uintptr_t block_;
  const size_t size_;
  mutable std::mutex mutex_;
  size_t used_ = 0;
  size_t needed_ = 0;  // what an allocation that failed would have used; 0: none has
};

// The allocations of one call. Frees at the end what the handler has not freed. Thread-safe.
class CallScratch {
 public:
  // `allocator` may be null: all allocations then fail.
  explicit CallScratch(ScratchAllocator* allocator) : allocator_(allocator) {}
  CallScratch(const CallScratch&) = delete;
  CallScratch& operator=(const CallScratch&) = delete;
  ~CallScratch() {
    if (!blocks_.empty()) FreeAll();
  }

  // Returns UNIMPLEMENTED without an allocator, INVALID_ARGUMENT if the alignment is no power of
  // two, and RESOURCE_EXHAUSTED if the allocator returns null.
  absl::StatusOr<void*> Allocate(size_t size, size_t alignment);
  // Returns INVALID_ARGUMENT if `data` was not allocated here, or is already freed. Ignores null.
  absl::Status Free(void* data);

 private:
  struct Block {
    void* data;
    size_t size;
  };

  void FreeAll();

  ScratchAllocator* const allocator_;
  std::mutex mutex_;
  std::vector<Block> blocks_;
};

}  // namespace host
}  // namespace callbridge

#endif  // CALLBRIDGE_TYPED_FFI_HOST_SCRATCH_MEMORY_H_
