// Packed elements: how XLA hands elements of less than a byte (s4, u1, f4e2m1fn) to custom calls.
//
// They lie side by side, the first in the lowest bits of the first byte; zeros fill the last byte.
// XLA writes such a shape as s4[5]{0:E(4)}. Every XLA:CPU that takes them as operands and as
// results does so (jaxlib 0.6.2 to 0.10.2 and TensorFlow 2.21.0, measured). jaxlib 0.4.30 packs
// operands with the first in the highest bits, and refuses results; TensorFlow 2.13.1 refuses both.
// Everywhere else an element is the low bits of a byte of its own.
#ifndef CALLBRIDGE_ABI_PACKED_ELEMENTS_H_
#define CALLBRIDGE_ABI_PACKED_ELEMENTS_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "callbridge/abi/shape.h"

namespace callbridge {

// Returns the shape as custom calls get it: with layouts that pack elements of less than a byte. An
// array of such elements without a layout becomes row-major.
absl::StatusOr<Shape> PackedShape(const Shape& shape);

// Returns the array with a byte for each element of less than a byte, in the order of the same
// layout, or row-major if it has none.
absl::StatusOr<Shape> UnpackedShape(const Shape& array);

// Packs `count` elements into (count * bits + 7) / 8 bytes. Each element takes a byte, of which the
// `bits` low bits count; `bits` is 1, 2 or 4. The memories must not overlap.
void PackElements(const void* elements, int bits, size_t count, void* packed);

// Unpacks what PackElements() packed. The other bits of an element's byte become zero.
void UnpackElements(const void* packed, int bits, size_t count, void* elements);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_PACKED_ELEMENTS_H_
