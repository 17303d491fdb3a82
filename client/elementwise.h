// Elementwise operations (add, convert and so on) with XLA:CPU's results.
#ifndef CALLBRIDGE_CLIENT_ELEMENTWISE_H_
#define CALLBRIDGE_CLIENT_ELEMENTWISE_H_

#include <cstddef>

#include "absl/status/statusor.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/hlo/opcode.h"

namespace callbridge::client {

// Computes `count` adjacent elements, in the same order in all arrays. A unary kernel's operand is
// `left`; it does not read `right`. The result may overwrite an operand if their elements have the
// same size. Uses the calling thread's floating-point mode.
using ElementwiseKernel = void (*)(const void* left, const void* right, void* result, size_t count);

// Returns the kernel for add, subtract, multiply, divide, maximum, minimum, negate or abs of
// elements of `type`. Its results are bit for bit those of jaxlib 0.10.2 except for NaNs' payloads.
// So those of complex numbers differ by processor: a sum of products is rounded once less where the
// processor has FMA. (In TensorFlow 2.13.1 with AVX2, XLA contracts other products.) An integer
// divided by 0 is -1; maximum and minimum return NaN if an operand is NaN, and prefer the positive
// zero. (TensorFlow 2.13.1 sets faster ones that lose NaNs.) Returns UNIMPLEMENTED if XLA:CPU has
// no such operation, and for types of at most 8 bits that are not integers.
absl::StatusOr<ElementwiseKernel> FindArithmetic(hlo::Opcode opcode, PrimitiveType type);
// Returns the kernel that converts elements. Floats become integers towards zero; NaN becomes 0,
// and a value out of range the nearest limit. Returns UNIMPLEMENTED for complex types to others,
// and for types of at most 8 bits that are not integers.
absl::StatusOr<ElementwiseKernel> FindConversion(PrimitiveType from, PrimitiveType to);
// Returns the kernel between elements of a byte each and packed elements (abi/packed_elements.h)
// for types of less than a byte, null for others. In unpacked elements, a byte's other bits repeat
// a signed integer's sign, as in literals.
ElementwiseKernel FindPacking(PrimitiveType type);
ElementwiseKernel FindUnpacking(PrimitiveType type);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_ELEMENTWISE_H_
