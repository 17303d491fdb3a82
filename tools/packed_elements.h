// Arrays whose elements take less than a byte, as NumPy has them and packed
// (abi/packed_elements.h).
//
// NumPy gives each element the low bits of a byte and leaves the other bits zero, also where it is
// negative (ml_dtypes 0.6.0, measured).
#ifndef CALLBRIDGE_TOOLS_PACKED_ELEMENTS_H_
#define CALLBRIDGE_TOOLS_PACKED_ELEMENTS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/abi/packed_elements.h"
#include "callbridge/abi/shape.h"
#include "callbridge/tools/array.h"

namespace callbridge {

// INVALID_ARGUMENT where a leaf of `shape` states an element size in which custom calls never get
// it.
absl::Status CheckElementSizes(const Shape& shape);

// The array as custom calls get it, of PackedShape(); whole bytes come back as they are. Only the
// low bits of an element count.
absl::StatusOr<Array> PackElements(Array array);

// The array as NumPy has it: a byte for each element of less than that, in the same order in
// memory; others come back as they are. The inverse of PackElements().
absl::StatusOr<Array> UnpackElements(Array array);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_PACKED_ELEMENTS_H_
