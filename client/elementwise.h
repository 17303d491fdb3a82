// What add, convert and the like do to each element, as XLA:CPU does it.
#ifndef CALLBRIDGE_CLIENT_ELEMENTWISE_H_
#define CALLBRIDGE_CLIENT_ELEMENTWISE_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/hlo/opcode.h"

namespace callbridge::client {

// On `count` elements that lie side by side, in the same order in all arrays. An operand of a
// unary kernel is on the left, and `right` is not read. The result may be an operand's memory where
// their elements have the same size. In the calling thread's floating-point mode.
using ElementwiseKernel = void (*)(const void* left, const void* right, void* result, size_t count);

// add, subtract, multiply, divide, maximum, minimum, negate, abs of elements of `type`. Bit for bit
// what jaxlib 0.10.2 computes on processors that have FMA, NaNs' payloads aside: an integer divided
// by 0 is -1, NaN and the positive zero win. (TensorFlow 2.13.1 asks for a maximum and minimum
// that are faster, and lose NaNs.)
// UNIMPLEMENTED where XLA:CPU has none either, and for types of 8 bits and fewer that are no
// integers.
absl::StatusOr<ElementwiseKernel> FindArithmetic(hlo::Opcode opcode, PrimitiveType type);
// Floats become integers towards zero; NaN becomes 0, what is out of range the nearest limit.
// UNIMPLEMENTED from complex types to others, and for types of 8 bits and fewer that are no
// integers.
absl::StatusOr<ElementwiseKernel> FindConversion(PrimitiveType from, PrimitiveType to);
// Between a byte for each element and packed elements (abi/packed_elements.h), for types of less
// than a byte; null for others. Unpacked, the other bits of a byte repeat a signed integer's sign,
// as in literals.
ElementwiseKernel FindPacking(PrimitiveType type);
ElementwiseKernel FindUnpacking(PrimitiveType type);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_ELEMENTWISE_H_
