// Room for the pointer lists of one call.
#ifndef CALLBRIDGE_ADAPTERS_POINTER_BLOCK_H_
#define CALLBRIDGE_ADAPTERS_POINTER_BLOCK_H_

#include <cstddef>
#include <memory>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"

namespace callbridge {

// Pointers that a call may need before it allocates.
inline constexpr size_t kStackPointers = 256;

// function(block) with one block of the heap.
template <typename Function>
ABSL_ATTRIBUTE_NOINLINE auto WithHeapPointers(size_t size, Function function) {
  std::unique_ptr<void*[]> block(new void*[size]);
  return function(block.get());
}

// function(block), where `block` has room for `size` uninitialised pointers: on the stack up to
// kStackPointers, else on the heap.
template <typename Function>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline auto WithPointers(size_t size, Function function) {
  if (ABSL_PREDICT_FALSE(size > kStackPointers)) return WithHeapPointers(size, function);
  void* block[kStackPointers];
  return function(static_cast<void**>(block));
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_POINTER_BLOCK_H_
