#include "callbridge/typed_ffi/host/scratch_memory.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace callbridge {
namespace host {

absl::Status ScratchAllocator::Failure(size_t size) const {
  return absl::ResourceExhaustedError(
      absl::StrCat("Failed to allocate ", size, " bytes of scratch memory"));
}

void* HostScratchAllocator::Allocate(size_t size, size_t alignment) {
  void* data = nullptr;
  const int error = posix_memalign(&data, std::max(alignment, alignof(std::max_align_t)),
                                   std::max<size_t>(size, 1));
  return error == 0 ? data : nullptr;
}

void HostScratchAllocator::Free(void* data, size_t) { std::free(data); }

namespace {

constexpr size_t RoundedUp(size_t size) {
  constexpr size_t kUnit = BlockScratchAllocator::kUnit;
  return (size + kUnit - 1) / kUnit * kUnit;
}

}  // namespace

void* BlockScratchAllocator::Allocate(size_t size, size_t alignment) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t unused = RoundedUp(used_);
  // The unit is relative to the block, so that all of it can be had; the alignment is the caller's.
  const uintptr_t address = block_ + unused;
  const size_t begin = unused + ((alignment - address % alignment) % alignment);
  size_t end;
  if (__builtin_add_overflow(begin, std::max<size_t>(size, 1), &end) || end > size_) {
    needed_ = end > begin ? end : std::numeric_limits<size_t>::max();
    return nullptr;
  }
  used_ = end;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it may be memory of a device
  return reinterpret_cast<void*>(block_ + begin);
}

void BlockScratchAllocator::Free(void* data, size_t size) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t begin = reinterpret_cast<uintptr_t>(data) - block_;
  // What is behind it begins at a unit.
  if (RoundedUp(begin + std::max<size_t>(size, 1)) >= used_) used_ = begin;
}

absl::Status BlockScratchAllocator::Failure(size_t) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return absl::ResourceExhaustedError(absl::StrCat(
      "the handler needs ", needed_, " bytes of scratch memory, and the call gives it ", size_,
      ": state more at the call site (scratch_bytes)"));
}

absl::Status BlockScratchAllocator::Outcome(const absl::Status& failed) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (needed_ == 0) return failed;
  }
  const absl::Status failure = Failure(0);
  if (absl::StrContains(failed.message(), failure.message())) {
    return absl::ResourceExhaustedError(failed.message());
  }
  return absl::ResourceExhaustedError(absl::StrCat(failed.message(), " (", failure.message(), ")"));
}

absl::StatusOr<void*> CallScratch::Allocate(size_t size, size_t alignment) {
  if (allocator_ == nullptr) {
    return absl::UnimplementedError(
        "No device memory allocator available on this platform: the caller provides none");
  }
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    return absl::InvalidArgumentError(absl::StrCat("scratch memory cannot be aligned to ",
                                                   alignment,
                                                   " bytes: an alignment is a power of two"));
  }
  void* data = allocator_->Allocate(size, alignment);
  if (data == nullptr) return allocator_->Failure(size);
  std::lock_guard<std::mutex> lock(mutex_);
  blocks_.push_back({data, size});
  return data;
}

absl::Status CallScratch::Free(void* data) {
  if (data == nullptr) return absl::OkStatus();
  std::unique_lock<std::mutex> lock(mutex_);
  auto found = std::find_if(blocks_.begin(), blocks_.end(),
                            [data](const Block& block) { return block.data == data; });
  if (found == blocks_.end()) {
    return absl::InvalidArgumentError("expected memory that this call allocated and has not freed");
  }
  const Block block = *found;
  blocks_.erase(found);
  lock.unlock();
  allocator_->Free(block.data, block.size);
  return absl::OkStatus();
}

void CallScratch::FreeAll() {
  for (const Block& block : blocks_) allocator_->Free(block.data, block.size);
  blocks_.clear();
}

}  // namespace host
}  // namespace callbridge
