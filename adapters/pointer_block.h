// PointerBlock: room for the pointer lists of one call.
#ifndef CALLBRIDGE_ADAPTERS_POINTER_BLOCK_H_
#define CALLBRIDGE_ADAPTERS_POINTER_BLOCK_H_

#include <cstddef>
#include <memory>

namespace callbridge {

// Pointers that a call may need before it allocates.
inline constexpr size_t kStackPointers = 256;

// Uninitialised: on the stack up to kStackPointers, else one block of the heap.
class PointerBlock {
 public:
  explicit PointerBlock(size_t size)
      : heap_(size > kStackPointers ? new void*[size] : nullptr),
        pointers_(heap_ != nullptr ? heap_.get() : stack_) {}
  PointerBlock(const PointerBlock&) = delete;
  PointerBlock& operator=(const PointerBlock&) = delete;

  void** get() { return pointers_; }

 private:
  void* stack_[kStackPointers];
  std::unique_ptr<void*[]> heap_;
  void** pointers_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_POINTER_BLOCK_H_
