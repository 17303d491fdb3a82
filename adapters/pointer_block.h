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

// kFunction(block, arguments...) with one block of the heap.
template <auto kFunction, typename... Arguments>
ABSL_ATTRIBUTE_NOINLINE auto WithHeapPointers(size_t size, Arguments&... arguments) {
  std::unique_ptr<void*[]> block(new void*[size]);
  return kFunction(block.get(), arguments...);
}

// kFunction(block, arguments...), where `block` has room for `size` uninitialised pointers: on the
// stack up to kStackPointers, else on the heap. (A lambda in the function's place would have its
// captures written to memory.)
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
