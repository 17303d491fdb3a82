// Packed elements: how XLA hands elements of less than a byte (s4, u1, f4e2m1fn) to custom calls.
//
// They lie side by side, the first in the lowest bits of the first byte; the last byte is filled up
// with zeros. XLA writes such a shape as s4[5]{0:E(4)}. So does every XLA:CPU that takes them as
// operands and as results (jaxlib 0.6.2 to 0.10.2 and TensorFlow 2.21.0, measured). jaxlib 0.4.30
// packs operands with the first in the highest bits, and refuses results; TensorFlow 2.13.1 refuses
// both. Elsewhere an element has the low bits of a byte of its own.
#ifndef CALLBRIDGE_ABI_PACKED_ELEMENTS_H_
#define CALLBRIDGE_ABI_PACKED_ELEMENTS_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "callbridge/abi/shape.h"

namespace callbridge {

// The shape as custom calls get it: its layouts pack the elements of less than a byte. A layout
// that is not said becomes row-major where elements are packed.
absl::StatusOr<Shape> PackedShape(const Shape& shape);

// An array in the order of the same layout, or of row-major where none is said, with a byte for
// each element that is less.
absl::StatusOr<Shape> UnpackedShape(const Shape& array);

// Packs `count` elements of `bits` bits, 1, 2 or 4, of which only these count, from a byte each to
// (count * bits + 7) / 8 bytes. The memories do not overlap.
void PackElements(const void* elements, int bits, size_t count, void* packed);

// The inverse. The other bits of an element's byte become zero.
void UnpackElements(const void* packed, int bits, size_t count, void* elements);

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_PACKED_ELEMENTS_H_
