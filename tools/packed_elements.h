// Converts arrays with elements of less than a byte between NumPy's form and the packed form
// (abi/packed_elements.h).
//
// NumPy stores each element in the low bits of a byte and leaves the other bits zero, also for
// negative elements (ml_dtypes 0.6.0, measured).
#ifndef CALLBRIDGE_TOOLS_PACKED_ELEMENTS_H_
#define CALLBRIDGE_TOOLS_PACKED_ELEMENTS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/abi/packed_elements.h"
#include "callbridge/abi/shape.h"
#include "callbridge/tools/array.h"

namespace callbridge {

// Returns INVALID_ARGUMENT if a leaf of `shape` states an element size that custom calls never get.
absl::Status CheckElementSizes(const Shape& shape);

// Returns the array as custom calls get it, of PackedShape(); arrays of whole bytes are returned as
// they are. Reads only the low bits of each element.
absl::StatusOr<Array> PackElements(Array array);

// Returns the array as NumPy has it: a byte for each element of less than that, in the same order
// in memory; other arrays are returned as they are. The inverse of PackElements().
absl::StatusOr<Array> UnpackElements(Array array);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_PACKED_ELEMENTS_H_
