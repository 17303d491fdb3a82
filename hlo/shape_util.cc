#include "callbridge/hlo/shape_util.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape.h"
#include "callbridge/hlo/status.h"

namespace xla {
inline namespace callbridge_v1 {
namespace {

using internal::ElementAt;

// Checks through callbridge::Shape, which has the same rules.
Status CheckArray(const Shape& shape, bool require_layout) {
  std::optional<::callbridge::Layout> layout;
  if (shape.has_layout()) {
    const absl::Span<const int64_t> order = shape.layout().minor_to_major();
    layout.emplace();
    layout->minor_to_major.assign(order.begin(), order.end());
    layout->element_size_in_bits = shape.layout().element_size_in_bits();
  } else if (require_layout) {
    return absl::InvalidArgumentError(
        absl::StrCat("the shape ", shape.ToString(), " has no layout"));
  }
  const auto type = ::callbridge::IsPrimitiveType(shape.element_type())
                        ? static_cast<::callbridge::PrimitiveType>(shape.element_type())
                        : ::callbridge::PrimitiveType::kInvalid;
  return ::callbridge::Shape::MakeArray(
             type, {shape.dimensions().begin(), shape.dimensions().end()}, std::move(layout))
      .status();
}

// Accepts dynamic dimensions, tiles and opaque shapes.
Status CheckShape(const Shape& shape, bool require_layout, int depth = 1) {
  constexpr int kMaxTupleDepth = ::callbridge::Shape::kMaxTupleDepth;
  if (!shape.IsTuple() && shape.tuple_shapes_size() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a shape other than a tuple to have no elements; ", shape.ToString(),
                     " has ", shape.tuple_shapes_size()));
  }
  if (!shape.IsTuple() && !shape.IsToken() && !shape.IsOpaque()) {
    return CheckArray(shape, require_layout);
  }
  if (shape.rank() != 0 || shape.has_layout()) {
    return absl::InvalidArgumentError("expected only arrays to have dimensions and a layout");
  }
  if (depth > kMaxTupleDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected tuples nested at most ", kMaxTupleDepth, " deep"));
  }
  for (const Shape& element : shape.tuple_shapes()) {
    TF_RETURN_IF_ERROR(CheckShape(element, require_layout, depth + 1));
  }
  return OkStatus();
}

Shape ValueOrDie(StatusOr<Shape> shape) { return shape.ConsumeValueOrDie(); }

// Returns the array, or an error if the layout does not fit.
StatusOr<Shape> MakeArray(PrimitiveType type, absl::Span<const int64_t> dimensions,
                          const Layout& layout) {
  if (!primitive_util::IsArrayType(type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a type that an array can have, such as F32; got ",
                     primitive_util::LowercasePrimitiveTypeName(type), " (", type, ")"));
  }
  Shape shape(type, dimensions, /*dynamic_dimensions=*/{}, /*tuple_shapes=*/{});
  *shape.mutable_layout() = layout;
  TF_RETURN_IF_ERROR(CheckShape(shape, /*require_layout=*/true));
  return shape;
}

[[noreturn]] void DieOf(const Shape& shape, absl::string_view expected) {
  internal::Die(absl::StrCat("expected ", expected, "; got the shape ", shape.ToString()));
}

}  // namespace

Shape ShapeUtil::MakeShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions) {
  return ValueOrDie(MakeValidatedShape(element_type, dimensions));
}

Shape ShapeUtil::MakeShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
                           const std::vector<bool>& dynamic_dimensions) {
  return ValueOrDie(MakeValidatedShape(element_type, dimensions, dynamic_dimensions));
}

StatusOr<Shape> ShapeUtil::MakeValidatedShape(PrimitiveType element_type,
                                              absl::Span<const int64_t> dimensions) {
  // Like XLA, accepts types without elements if there are no dimensions.
  if (dimensions.empty() && (element_type == TOKEN || element_type == OPAQUE_TYPE)) {
    return Shape(element_type, {}, {}, {});
  }
  return MakeArray(element_type, dimensions,
                   LayoutUtil::MakeDescendingLayout(static_cast<int64_t>(dimensions.size())));
}

StatusOr<Shape> ShapeUtil::MakeValidatedShape(PrimitiveType element_type,
                                              absl::Span<const int64_t> dimensions,
                                              const std::vector<bool>& dynamic_dimensions) {
  TF_ASSIGN_OR_RETURN(Shape shape, MakeValidatedShape(element_type, dimensions));
  if (dynamic_dimensions.size() != dimensions.size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected a flag for each of ",
                                                   dimensions.size(), " dimensions, got ",
                                                   dynamic_dimensions.size()));
  }
  for (size_t i = 0; i < dimensions.size(); ++i) {
    shape.set_dynamic_dimension(static_cast<int>(i), dynamic_dimensions[i]);
  }
  return shape;
}

Shape ShapeUtil::MakeShapeWithDescendingLayout(PrimitiveType element_type,
                                               absl::Span<const int64_t> dimensions) {
  return MakeShape(element_type, dimensions);
}

Shape ShapeUtil::MakeShapeWithDenseLayout(PrimitiveType element_type,
                                          absl::Span<const int64_t> dimensions,
                                          absl::Span<const int64_t> minor_to_major,
                                          absl::Span<const Tile> tiles, int64_t memory_space) {
  return MakeShapeWithLayout(element_type, dimensions, minor_to_major, tiles,
                             /*element_size_in_bits=*/0, memory_space);
}

Shape ShapeUtil::MakeShapeWithLayout(PrimitiveType element_type,
                                     absl::Span<const int64_t> dimensions,
                                     absl::Span<const int64_t> minor_to_major,
                                     absl::Span<const Tile> tiles, int64_t element_size_in_bits,
                                     int64_t memory_space) {
  return ValueOrDie(
      MakeArray(element_type, dimensions,
                LayoutUtil::MakeLayout(minor_to_major, tiles, element_size_in_bits, memory_space)));
}

Shape ShapeUtil::ChangeElementType(const Shape& original, PrimitiveType type) {
  Shape shape = original;
  ForEachMutableSubshape(&shape, [&](Shape* subshape, const ShapeIndex&) {
    if (subshape->IsArray()) subshape->set_element_type(type);
  });
  return shape;
}

Shape ShapeUtil::MakeTupleShape(absl::Span<const Shape> shapes) {
  return Shape(TUPLE, {}, {}, {shapes.begin(), shapes.end()});
}

Shape ShapeUtil::MakeTupleShapeWithPtrs(absl::Span<const Shape* const> shapes) {
  Shape tuple = MakeNil();
  for (const Shape* shape : shapes) AppendShapeToTuple(*shape, &tuple);
  return tuple;
}

Shape ShapeUtil::MakeMaybeTupleShape(absl::Span<const Shape> shapes) {
  return shapes.size() == 1 ? shapes[0] : MakeTupleShape(shapes);
}

Shape ShapeUtil::MakeTokenShape() { return Shape(TOKEN, {}, {}, {}); }

Shape ShapeUtil::MakeOpaqueShape() { return Shape(OPAQUE_TYPE, {}, {}, {}); }

void ShapeUtil::AppendShapeToTuple(const Shape& shape, Shape* tuple_shape) {
  if (!tuple_shape->IsTuple()) DieOf(*tuple_shape, "a tuple");
  tuple_shape->mutable_tuple_shapes()->push_back(shape);
}

ProgramShape ShapeUtil::MakeProgramShape(std::initializer_list<Shape> parameters, Shape result) {
  ProgramShape program_shape;
  program_shape.mutable_parameters()->assign(parameters);
  *program_shape.mutable_result() = std::move(result);
  return program_shape;
}

int64_t ShapeUtil::ElementsIn(const Shape& shape) {
  if (!shape.IsArray()) DieOf(shape, "an array");
  // The product of the other dimensions of an empty array may overflow.
  if (IsZeroElementArray(shape)) return 0;
  int64_t product = 1;
  for (const int64_t dimension : shape.dimensions()) {
    if (dimension < 0 || __builtin_mul_overflow(product, dimension, &product)) {
      DieOf(shape, "a number of elements that fits 63 bits");
    }
  }
  return product;
}

int64_t ShapeUtil::ElementsInRecursive(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() ? ElementsIn(shape) : 0;
  int64_t sum = 0;
  for (const Shape& element : shape.tuple_shapes()) sum += ElementsInRecursive(element);
  return sum;
}

int64_t ShapeUtil::ByteSizeOf(const Shape& shape, int64_t pointer_size) {
  if (shape.IsArray()) return ByteSizeOfElements(shape);
  if (shape.IsTuple()) return ByteSizeOfTupleIndexTable(shape, pointer_size);
  if (shape.IsToken()) return 0;
  if (!shape.IsOpaque() || pointer_size <= 0) DieOf(shape, "a shape that has a size");
  return pointer_size;
}

int64_t ShapeUtil::ByteSizeOfElements(const Shape& shape) {
  int64_t bits = int64_t{8} * ByteSizeOfPrimitiveType(shape.element_type());
  if (shape.has_layout() && shape.layout().element_size_in_bits() != 0) {
    bits = shape.layout().element_size_in_bits();
  }
  const __int128 bytes = (static_cast<__int128>(ElementsIn(shape)) * bits + 7) / 8;
  if (bits < 0 || bytes > std::numeric_limits<int64_t>::max()) {
    DieOf(shape, "a size in bytes that fits 63 bits");
  }
  return static_cast<int64_t>(bytes);
}

int64_t ShapeUtil::ByteSizeOfTupleIndexTable(const Shape& shape, int64_t pointer_size) {
  if (!shape.IsTuple()) DieOf(shape, "a tuple");
  if (pointer_size <= 0) {
    internal::Die("the size of a tuple's table: expected the bytes of a pointer, such as 8");
  }
  return pointer_size * shape.tuple_shapes_size();
}

int64_t ShapeUtil::ByteSizeOfPrimitiveType(PrimitiveType type) {
  const int bytes = primitive_util::ByteWidth(type);
  if (bytes == 0) {
    internal::Die(absl::StrCat("expected a type that has a size, such as F32; got ",
                               primitive_util::LowercasePrimitiveTypeName(type)));
  }
  return bytes;
}

bool ShapeUtil::Equal(const Shape& left, const Shape& right) { return left == right; }

bool ShapeUtil::EqualIgnoringElementType(const Shape& left, const Shape& right) {
  return Shape::Equal().IgnoreElementType()(left, right);
}

bool ShapeUtil::Compatible(const Shape& left, const Shape& right) {
  return Shape::Equal().IgnoreDynamicDimension().IgnoreLayout()(left, right);
}

bool ShapeUtil::CompatibleIgnoringElementType(const Shape& left, const Shape& right) {
  return Shape::Equal().IgnoreDynamicDimension().IgnoreElementType().IgnoreLayout()(left, right);
}

bool ShapeUtil::CompatibleIgnoringFpPrecision(const Shape& left, const Shape& right) {
  return Shape::Equal().IgnoreDynamicDimension().IgnoreFpPrecision().IgnoreLayout()(left, right);
}

bool ShapeUtil::SameDimensions(const Shape& left, const Shape& right) {
  return left.IsArray() && right.IsArray() && left.dimensions() == right.dimensions();
}

bool ShapeUtil::SameRank(const Shape& left, const Shape& right) {
  return left.IsArray() && right.IsArray() && left.rank() == right.rank();
}

bool ShapeUtil::IsZeroElementArray(const Shape& shape) {
  return shape.IsArray() && std::find(shape.dimensions().begin(), shape.dimensions().end(), 0) !=
                                shape.dimensions().end();
}

bool ShapeUtil::HasPrimitiveType(const Shape& shape, PrimitiveType type) {
  return shape.element_type() == type ||
         std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
                     [&](const Shape& element) { return HasPrimitiveType(element, type); });
}

bool ShapeUtil::ElementIsIntegral(const Shape& shape) {
  return primitive_util::IsIntegralType(shape.element_type());
}

bool ShapeUtil::ElementIsFloating(const Shape& shape) {
  return primitive_util::IsFloatingPointType(shape.element_type());
}

bool ShapeUtil::ElementIsComplex(const Shape& shape) {
  return primitive_util::IsComplexType(shape.element_type());
}

bool ShapeUtil::ElementIsSigned(const Shape& shape) {
  return primitive_util::IsSignedIntegralType(shape.element_type()) || ElementIsFloating(shape);
}

int64_t ShapeUtil::TrueRank(const Shape& shape) {
  return shape.rank() - std::count(shape.dimensions().begin(), shape.dimensions().end(), 1);
}

int64_t ShapeUtil::GetDimension(const Shape& shape, int64_t dimension_number) {
  return shape.dimensions(static_cast<int>(GetDimensionNumber(shape, dimension_number)));
}

int64_t ShapeUtil::GetDimensionNumber(const Shape& shape, int64_t dimension_number) {
  const int64_t number = dimension_number < 0 ? dimension_number + shape.rank() : dimension_number;
  const absl::Span<const int64_t> dimensions = shape.dimensions();
  ElementAt(dimensions, number, "dimension");
  return number;
}

bool ShapeUtil::IsNestedTuple(const Shape& shape) {
  return shape.IsTuple() && std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(),
                                        [](const Shape& element) { return element.IsTuple(); });
}

bool ShapeUtil::IsEmptyTuple(const Shape& shape) {
  return shape.IsTuple() && shape.tuple_shapes_size() == 0;
}

int64_t ShapeUtil::TupleElementCount(const Shape& shape) {
  if (!shape.IsTuple()) DieOf(shape, "a tuple");
  return shape.tuple_shapes_size();
}

const Shape& ShapeUtil::GetTupleElementShape(const Shape& shape, int64_t index) {
  if (!shape.IsTuple()) DieOf(shape, "a tuple");
  return ElementAt(shape.tuple_shapes(), index, "tuple element");
}

int64_t ShapeUtil::SubshapeCount(const Shape& shape) {
  int64_t count = 0;
  ForEachSubshape(shape, [&](const Shape&, const ShapeIndex&) { ++count; });
  return count;
}

bool ShapeUtil::IndexIsValid(const Shape& shape, ShapeIndexView index) {
  return TryGetSubshape(shape, index).ok();
}

const Shape& ShapeUtil::GetSubshape(const Shape& shape, ShapeIndexView index) {
  return *TryGetSubshape(shape, index).ValueOrDie();
}

StatusOr<const Shape*> ShapeUtil::TryGetSubshape(const Shape& shape, ShapeIndexView index) {
  const Shape* subshape = &shape;
  for (const int64_t element : index) {
    if (!subshape->IsTuple() || element < 0 || element >= subshape->tuple_shapes_size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no shape at ", ShapeIndex(index).ToString(), " of ",
                       shape.ToString(), ": expected an element of a tuple each time"));
    }
    subshape = &subshape->tuple_shapes()[static_cast<size_t>(element)];
  }
  return subshape;
}

Shape* ShapeUtil::GetMutableSubshape(Shape* shape, ShapeIndexView index) {
  return const_cast<Shape*>(&GetSubshape(*shape, index));
}

bool ShapeUtil::IsLeafIndex(const Shape& shape, const ShapeIndex& index) {
  return !GetSubshape(shape, index).IsTuple();
}

int64_t ShapeUtil::GetLeafCount(const Shape& shape) {
  int64_t count = 0;
  ForEachSubshape(shape,
                  [&](const Shape& subshape, const ShapeIndex&) { count += !subshape.IsTuple(); });
  return count;
}

std::vector<ShapeUtil::IndexedShape> ShapeUtil::GetLeafShapes(const Shape& shape) {
  std::vector<IndexedShape> leaves;
  ForEachSubshape(shape, [&](const Shape& subshape, const ShapeIndex& index) {
    if (!subshape.IsTuple()) leaves.emplace_back(index, subshape);
  });
  return leaves;
}

Status ShapeUtil::ValidateShape(const Shape& shape) {
  return CheckShape(shape, /*require_layout=*/true);
}

Status ShapeUtil::ValidateShapeWithOptionalLayout(const Shape& shape) {
  return CheckShape(shape, /*require_layout=*/false);
}

}  // namespace callbridge_v1
}  // namespace xla
