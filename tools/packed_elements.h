// Packed elements: how XLA hands elements of less than a byte (s4, u1, f4e2m1fn) to custom calls.
//
// They lie side by side, the first in the lowest bits of the first byte; the last byte is filled up
// with zeros. XLA writes such a shape as s4[5]{0:E(4)}. Every XLA:CPU that takes them at all packs
// them so (jaxlib 0.6.2 to 0.10.2, measured). NumPy gives each element the low bits of a byte and
// leaves the other bits zero, also where it is negative (ml_dtypes 0.6.0, measured).
#ifndef CALLBRIDGE_TOOLS_PACKED_ELEMENTS_H_
#define CALLBRIDGE_TOOLS_PACKED_ELEMENTS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/abi/shape.h"
#include "callbridge/tools/array.h"

namespace callbridge {

// INVALID_ARGUMENT where a leaf of `shape` states an element size in which custom calls never get
// it.
absl::Status CheckElementSizes(const Shape& shape);

// The shape as custom calls get it: its layouts pack the elements of less than a byte.
absl::StatusOr<Shape> PackedShape(const Shape& shape);

// The array as custom calls get it, of PackedShape(); whole bytes come back as they are. Only the
// low bits of an element count.
absl::StatusOr<Array> PackElements(Array array);

// The array as NumPy has it: a byte for each element of less than that, in the same order in
// memory; others come back as they are. The inverse of PackElements().
absl::StatusOr<Array> UnpackElements(Array array);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_PACKED_ELEMENTS_H_
