// Array: one array on the host, with its bytes.
#ifndef CALLBRIDGE_TOOLS_ARRAY_H_
#define CALLBRIDGE_TOOLS_ARRAY_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "callbridge/abi/aligned_memory.h"
#include "callbridge/abi/shape.h"

namespace callbridge {

// An array with its bytes, or a token, which has none.
struct Array {
  Shape shape;
  AlignedMemory memory;
};

// Returns an array of zeros of this shape, which must be an array or token.
absl::StatusOr<Array> MakeArrayOfZeros(const Shape& shape);

// Returns the bytes of one unpacked element: 1 for s4, 16 for c128.
int64_t ElementBytes(PrimitiveType type);

// Returns the array without a layout, its elements in row-major order. They must not be packed.
absl::StatusOr<Array> ToRowMajor(Array array);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_ARRAY_H_
