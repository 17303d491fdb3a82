// Allocates the pointer lists of one call.
#ifndef CALLBRIDGE_ADAPTERS_POINTER_BLOCK_H_
#define CALLBRIDGE_ADAPTERS_POINTER_BLOCK_H_

#include <cstddef>
#include <memory>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"

namespace callbridge {

// The pointers of a call that stay on the stack.
inline constexpr size_t kStackPointers = 256;

// Calls kFunction(block, arguments...) with a block of the heap.
template <auto kFunction, typename... Arguments>
ABSL_ATTRIBUTE_NOINLINE auto WithHeapPointers(size_t size, Arguments&... arguments) {
  std::unique_ptr<void*[]> block(new void*[size]);
  return kFunction(block.get(), arguments...);
}

// Calls kFunction(block, arguments...), where `block` has room for `size` uninitialised pointers:
// on the stack up to kStackPointers, else on the heap. (A lambda instead of kFunction would have
// its captures written to memory. So would a block object that the caller holds: g++ -O2 keeps it
// there, which costs some 8 instructions a call.)
template <auto kFunction, typename... Arguments>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline auto WithPointers(size_t size, Arguments&... arguments) {
  if (ABSL_PREDICT_FALSE(size > kStackPointers)) {
    return WithHeapPointers<kFunction>(size, arguments...);
  }
  void* block[kStackPointers];
  return kFunction(static_cast<void**>(block), arguments...);
}

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_POINTER_BLOCK_H_
