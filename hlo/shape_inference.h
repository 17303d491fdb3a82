// The shapes that instructions make of their operands' shapes, by XLA's rules.
#ifndef CALLBRIDGE_HLO_SHAPE_INFERENCE_H_
#define CALLBRIDGE_HLO_SHAPE_INFERENCE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/opcode.h"

namespace callbridge::hlo {

// All of these are INVALID_ARGUMENT where the operands cannot be combined, with their shapes. What
// they return has no layouts.

// add, subtract, multiply, divide, maximum, minimum of operands of equal shapes (layouts aside).
absl::StatusOr<Shape> InferBinary(Opcode opcode, const Shape& left, const Shape& right);
// negate, abs: abs of a complex type has its real type.
absl::StatusOr<Shape> InferUnary(Opcode opcode, const Shape& operand);
// `dimensions` has a dimension of the result for each one of the operand, which has its size.
absl::Status CheckBroadcast(const Shape& operand, absl::Span<const int64_t> dimensions,
                            const Shape& result);
absl::StatusOr<Shape> InferReshape(const Shape& operand, absl::Span<const int64_t> dimensions);
absl::StatusOr<Shape> InferConvert(const Shape& operand, PrimitiveType element_type);
absl::StatusOr<Shape> InferGetTupleElement(const Shape& tuple, int64_t index);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_SHAPE_INFERENCE_H_
