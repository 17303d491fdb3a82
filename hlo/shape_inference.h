// The shapes of instructions from the shapes of their operands, by XLA's rules.
//
// All functions return INVALID_ARGUMENT, with the shapes in the message, if the operands do not fit
// together. The shapes that they return have no layouts.
#ifndef CALLBRIDGE_HLO_SHAPE_INFERENCE_H_
#define CALLBRIDGE_HLO_SHAPE_INFERENCE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/opcode.h"

namespace callbridge::hlo {

// Infers the shape of add, subtract, multiply, divide, maximum or minimum. The operands must have
// equal shapes, except for layouts.
absl::StatusOr<Shape> InferBinary(Opcode opcode, const Shape& left, const Shape& right);
// Infers the shape of negate or abs. The abs of a complex array has the corresponding real type.
absl::StatusOr<Shape> InferUnary(Opcode opcode, const Shape& operand);
// Returns OK if the operand can be broadcast to `result`. dimensions[i] is the dimension of the
// result that dimension i of the operand becomes; both must have the same size.
absl::Status CheckBroadcast(const Shape& operand, absl::Span<const int64_t> dimensions,
                            const Shape& result);
// Infers the shape of a reshape to `dimensions`.
absl::StatusOr<Shape> InferReshape(const Shape& operand, absl::Span<const int64_t> dimensions);
// Infers the shape of a conversion to `element_type`.
absl::StatusOr<Shape> InferConvert(const Shape& operand, PrimitiveType element_type);
// Returns the shape of element `index` of `tuple`.
absl::StatusOr<Shape> InferGetTupleElement(const Shape& tuple, int64_t index);

// ---- Implicit broadcasting of the operands of a binary instruction ------------------------------

// Returns the dimensions of the result. `broadcast_dimensions` is empty, or has, for each dimension
// of the operand of lower rank, the dimension of the other operand. `opcode`, `left_text` and
// `right_text` are for error messages.
absl::StatusOr<std::vector<int64_t>> InferImplicitBroadcast(
    absl::Span<const int64_t> left, absl::Span<const int64_t> right,
    absl::Span<const int64_t> broadcast_dimensions, absl::string_view opcode,
    absl::string_view left_text, absl::string_view right_text);

// A broadcast of degenerate dimensions, those of size 1, to larger ones of a shape of the same
// rank. It takes two instructions: a reshape removes the dimensions, and a broadcast adds them.
struct DegenerateDimensionBroadcast {
  // The dimensions of the reshape.
  std::vector<int64_t> sizes;
  // The dimensions of the result that they become in the broadcast.
  std::vector<int64_t> dimensions;
};
// Returns the broadcast of dimensions `from` to `to`. They must have the same rank, and each size
// of `from` must be 1 or equal to that of `to`.
absl::StatusOr<DegenerateDimensionBroadcast> InferDegenerateDimensionBroadcast(
    absl::Span<const int64_t> from, absl::Span<const int64_t> to);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_SHAPE_INFERENCE_H_
