#include "callbridge/hlo/shape_inference.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/hlo/primitive_util.h"

namespace callbridge::hlo {
namespace {

using Dimensions = absl::Span<const int64_t>;

// Returns `shape` itself if it would be too large without layouts, which may pack elements.
Shape WithoutLayouts(const Shape& shape) {
  const absl::StatusOr<Shape> without = shape.WithoutLayouts();
  return without.ok() ? *without : shape;
}

std::string Text(const Shape& shape) { return ShapeText(WithoutLayouts(shape)); }

std::string TypeText(PrimitiveType type) { return absl::AsciiStrToUpper(PrimitiveTypeName(type)); }

bool SameDimensions(const Shape& left, const Shape& right) {
  return left.dimensions() == right.dimensions();
}

absl::StatusOr<Shape> ArrayLike(const Shape& shape, PrimitiveType element_type) {
  return Shape::MakeArray(element_type, {shape.dimensions().begin(), shape.dimensions().end()});
}

// Returns the type of the parts of a complex type, else `type`.
PrimitiveType RealType(PrimitiveType type) {
  if (type == PrimitiveType::kC64) return PrimitiveType::kF32;
  if (type == PrimitiveType::kC128) return PrimitiveType::kF64;
  return type;
}

bool IsUnsigned(PrimitiveType type) {
  return xla::primitive_util::IsUnsignedIntegralType(static_cast<xla::PrimitiveType>(type));
}

}  // namespace

absl::StatusOr<Shape> InferBinary(Opcode opcode, const Shape& left, const Shape& right) {
  const absl::string_view name = OpcodeName(opcode);
  for (const Shape* operand : {&left, &right}) {
    if (operand->IsArray()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("Expected array argument for ", operand == &left ? "lhs" : "rhs",
                     " of binary operation ", name, ", but got ", Text(*operand), "."));
  }
  if (left.element_type() != right.element_type()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Binary op ", name, " with different element types: ", Text(left), " and ",
                     Text(right), ". Convert one of them first."));
  }
  const bool arithmetic = opcode == Opcode::kSubtract || opcode == Opcode::kDivide;
  if (arithmetic && left.element_type() == PrimitiveType::kPred) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected element type in shape to be arithmetic type for operation ", name,
                     "; got PRED."));
  }
  if (!SameDimensions(left, right)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Binary op ", name, " with incompatible shapes: ", Text(left), " and ", Text(right), "."));
  }
  return ArrayLike(left, left.element_type());
}

absl::StatusOr<Shape> InferUnary(Opcode opcode, const Shape& operand) {
  if (!operand.IsArray()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Expected array argument for operand of unary operation, but got ", Text(operand), "."));
  }
  const PrimitiveType type = operand.element_type();
  if (opcode == Opcode::kAbs) {
    if (type == PrimitiveType::kPred || IsUnsigned(type)) {
      return absl::InvalidArgumentError(
          absl::StrCat("Expected element type in shape to be floating or complex for abs "
                       "operation; got ",
                       TypeText(type), ". (Signed integers will do as well.)"));
    }
    return ArrayLike(operand, RealType(type));
  }
  if (type == PrimitiveType::kPred) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected element type in shape to be integral, floating or complex for ",
                     OpcodeName(opcode), " operation; got PRED."));
  }
  return ArrayLike(operand, type);
}

absl::Status CheckBroadcast(const Shape& operand, Dimensions dimensions, const Shape& result) {
  for (const Shape* shape : {&operand, &result}) {
    if (shape->IsArray()) continue;
    return absl::InvalidArgumentError(absl::StrCat("Expected array argument for ",
                                                   shape == &operand ? "operand" : "result",
                                                   " of broadcast, but got ", Text(*shape), "."));
  }
  if (operand.element_type() != result.element_type()) {
    return absl::InvalidArgumentError(
        absl::StrCat("A broadcast keeps the element type, but leads from ", Text(operand), " to ",
                     Text(result), ". Convert it first."));
  }
  if (dimensions.size() != operand.dimensions().size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Size of broadcast_dimensions has to match operand's rank; operand rank: ",
        operand.dimensions().size(), ", size of broadcast_dimensions ", dimensions.size(), "."));
  }
  std::vector<bool> taken(result.dimensions().size(), false);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const int64_t to = dimensions[i];
    if (to < 0 || static_cast<size_t>(to) >= taken.size()) {
      return absl::InvalidArgumentError(absl::StrCat("Broadcast dimension ", to,
                                                     " is out of bound: the result has ",
                                                     taken.size(), " dimensions."));
    }
    if (taken[to]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Broadcast dimension ", to, " occurs twice; each takes one of the operand's."));
    }
    taken[to] = true;
    if (operand.dimensions()[i] != result.dimensions()[to]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Broadcast dimension ", to, " has size ", result.dimensions()[to],
          " in the result, but the operand's dimension ", i, " has ", operand.dimensions()[i],
          "; from ", Text(operand), " to ", Text(result), "."));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> InferReshape(const Shape& operand, Dimensions dimensions) {
  if (!operand.IsArray()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Expected array argument for reshape, but got ", Text(operand), "."));
  }
  absl::StatusOr<Shape> result =
      Shape::MakeArray(operand.element_type(), {dimensions.begin(), dimensions.end()});
  if (!result.ok()) return result;
  if (operand.ElementCount() != result->ElementCount()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Reshape operation has mismatched element counts: from=", operand.ElementCount(), " (",
        Text(operand), ") to=", result->ElementCount(), " (", Text(*result), ")."));
  }
  return result;
}

absl::StatusOr<Shape> InferConvert(const Shape& operand, PrimitiveType element_type) {
  if (!operand.IsArray() || !IsArrayElement(element_type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Convert does not allow non-arrays, so cannot convert from ", Text(operand),
                     " to ", TypeText(element_type), "."));
  }
  const PrimitiveType from = operand.element_type();
  if (RealType(from) != from && RealType(element_type) == element_type) {
    return absl::UnimplementedError(
        absl::StrCat("Converting ", Text(operand), " to ", TypeText(element_type),
                     " takes its real part first, by an instruction that callbridge does not have: "
                     "run this module on XLA."));
  }
  return ArrayLike(operand, element_type);
}

absl::StatusOr<Shape> InferGetTupleElement(const Shape& tuple, int64_t index) {
  if (!tuple.IsTuple()) {
    return absl::InvalidArgumentError(
        absl::StrCat("Operand to GetTupleElement() is not a tuple; got ", Text(tuple)));
  }
  const absl::Span<const Shape> elements = tuple.tuple_elements();
  if (index < 0 || static_cast<size_t>(index) >= elements.size()) {
    return absl::InvalidArgumentError(absl::StrCat("GetTupleElement() index (", index,
                                                   ") out of range for tuple shape ", Text(tuple)));
  }
  return WithoutLayouts(elements[index]);
}

// ---- Implicit broadcasting ----------------------------------------------------------------------

namespace {

// Combines dimensions of equal rank: two sizes must be equal, or one of them 1.
absl::StatusOr<std::vector<int64_t>> Combine(Dimensions left, Dimensions right,
                                             absl::string_view opcode, const std::string& shapes) {
  std::vector<int64_t> result(left.begin(), left.end());
  for (size_t i = 0; i < result.size(); ++i) {
    if (left[i] == 1) {
      result[i] = right[i];
    } else if (right[i] != 1 && right[i] != left[i]) {
      return absl::InvalidArgumentError(
          absl::StrCat("Binary op ", opcode, " with incompatible shapes: ", shapes, "."));
    }
  }
  return result;
}

bool IsIdentity(Dimensions dimensions, size_t rank) {
  if (dimensions.size() != rank) return false;
  for (size_t i = 0; i < rank; ++i) {
    if (dimensions[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> InferImplicitBroadcast(Dimensions left, Dimensions right,
                                                            Dimensions broadcast_dimensions,
                                                            absl::string_view opcode,
                                                            absl::string_view left_text,
                                                            absl::string_view right_text) {
  const std::string shapes = absl::StrCat(left_text, " and ", right_text);
  if (left.size() == right.size()) {
    if (!broadcast_dimensions.empty() && !IsIdentity(broadcast_dimensions, left.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("Broadcast dimensions field must either be not set or be the identity on "
                       "binary operations with operands of the same rank."));
    }
    return Combine(left, right, opcode, shapes);
  }
  const Dimensions larger = left.size() > right.size() ? left : right;
  const Dimensions smaller = left.size() > right.size() ? right : left;
  if (broadcast_dimensions.empty() && !smaller.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("Shapes must be equal rank, but are ", shapes));
  }
  if (broadcast_dimensions.size() != smaller.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Size of broadcast_dimensions has to match lower-rank operand's rank;  lower-rank "
        "operand's rank is ",
        smaller.size(), ", size of broadcast_dimensions is ", broadcast_dimensions.size(), "."));
  }
  std::vector<int64_t> result(larger.begin(), larger.end());
  for (size_t i = 0; i < smaller.size(); ++i) {
    const int64_t to = broadcast_dimensions[i];
    if (to < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("Broadcast dimension number (", to, ") cannot be negative."));
    if (static_cast<size_t>(to) >= larger.size()) {
      return absl::InvalidArgumentError(absl::StrCat("Broadcast dimension number (", to,
                                                     ") too large; higher-rank operand has rank ",
                                                     larger.size(), "."));
    }
    if (smaller[i] != larger[to] && smaller[i] != 1 && larger[to] != 1) {
      return absl::InvalidArgumentError(absl::StrCat("Broadcast dimension ", i,
                                                     " mismatch: ", smaller[i], " != ", larger[to],
                                                     "; ", shapes, "."));
    }
    if (i > 0 && broadcast_dimensions[i - 1] >= to) {
      return absl::InvalidArgumentError(absl::StrCat("Broadcast dimensions order is wrong: ", to,
                                                     " comes after ", broadcast_dimensions[i - 1],
                                                     "."));
    }
    if (larger[to] == 1) result[to] = smaller[i];
  }
  return result;
}

absl::StatusOr<DegenerateDimensionBroadcast> InferDegenerateDimensionBroadcast(Dimensions from,
                                                                               Dimensions to) {
  if (from.size() != to.size()) {
    return absl::InvalidArgumentError(absl::StrCat("broadcasting degenerate dimensions: expected ",
                                                   to.size(), " dimensions, got ", from.size()));
  }
  DegenerateDimensionBroadcast broadcast;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == to[i]) {
      broadcast.sizes.push_back(to[i]);
      broadcast.dimensions.push_back(static_cast<int64_t>(i));
    } else if (from[i] != 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Input dimension should be either 1 or equal to the output dimension it is broadcasting "
          "into; the ",
          i, "th operand dimension is ", from[i], ", the ", i, "th output dimension is ", to[i],
          "."));
    }
  }
  return broadcast;
}

}  // namespace callbridge::hlo
