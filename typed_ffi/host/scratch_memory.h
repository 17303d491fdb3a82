// The scratch memory that a host lends to handlers.
#ifndef CALLBRIDGE_TYPED_FFI_HOST_SCRATCH_MEMORY_H_
#define CALLBRIDGE_TYPED_FFI_HOST_SCRATCH_MEMORY_H_

#include <cstddef>
#include <mutex>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace callbridge {
namespace host {

// Memory of the device that the call is for. Who lends memory of its own implements this,
// thread-safe.
class ScratchAllocator {
 public:
  virtual ~ScratchAllocator() = default;
  // Null where it cannot be had. `size` in bytes, which may be 0; `alignment` in bytes, a power of
  // two.
  virtual void* Allocate(size_t size, size_t alignment) = 0;
  // `size` is what was asked for.
  virtual void Free(void* data, size_t size) = 0;
};

// Memory of the host.
class HostScratchAllocator : public ScratchAllocator {
 public:
  void* Allocate(size_t size, size_t alignment) override;
  void Free(void* data, size_t size) override;
};

// What one call has allocated. Frees at its end what the handler has not freed. Thread-safe.
class CallScratch {
 public:
  // `allocator` may be null: then nothing can be had.
  explicit CallScratch(ScratchAllocator* allocator) : allocator_(allocator) {}
  CallScratch(const CallScratch&) = delete;
  CallScratch& operator=(const CallScratch&) = delete;
  ~CallScratch() {
    if (!blocks_.empty()) FreeAll();
  }

  // UNIMPLEMENTED without an allocator, INVALID_ARGUMENT for an alignment that is no power of two,
  // RESOURCE_EXHAUSTED where the allocator gives nothing.
  absl::StatusOr<void*> Allocate(size_t size, size_t alignment);
  // INVALID_ARGUMENT where `data` was not allocated here, or was freed. Null is ignored.
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
