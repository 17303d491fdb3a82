// xla::ShapeUtil: makes, measures and compares shapes.
#ifndef CALLBRIDGE_HLO_SHAPE_UTIL_H_
#define CALLBRIDGE_HLO_SHAPE_UTIL_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/layout.h"
#include "callbridge/hlo/primitive_util.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/status.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace xla {
inline namespace callbridge_v1 {

// Functions that return no status end the process with a message if the arguments are invalid.
class CALLBRIDGE_EXPORTED ShapeUtil {
 public:
  ShapeUtil() = delete;

  struct IndexedShape {
    IndexedShape() = default;
    IndexedShape(ShapeIndex i, Shape s) : index(std::move(i)), shape(std::move(s)) {}
    ShapeIndex index;
    Shape shape;
  };

  // Make arrays. Without a layout argument they get a row-major layout, as in XLA.
  static Shape MakeShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions);
  static Shape MakeShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
                         const std::vector<bool>& dynamic_dimensions);
  static StatusOr<Shape> MakeValidatedShape(PrimitiveType element_type,
                                            absl::Span<const int64_t> dimensions);
  static StatusOr<Shape> MakeValidatedShape(PrimitiveType element_type,
                                            absl::Span<const int64_t> dimensions,
                                            const std::vector<bool>& dynamic_dimensions);
  template <typename T>
  static Shape MakeShapeWithType(absl::Span<const int64_t> dimensions) {
    return MakeShape(primitive_util::NativeToPrimitiveType<T>(), dimensions);
  }
  static Shape MakeScalarShape(PrimitiveType element_type) { return MakeShape(element_type, {}); }
  static Shape MakeShapeWithDescendingLayout(PrimitiveType element_type,
                                             absl::Span<const int64_t> dimensions);
  // XLA renamed MakeShapeWithLayout to MakeShapeWithDenseLayout in 2023.
  static Shape MakeShapeWithDenseLayout(PrimitiveType element_type,
                                        absl::Span<const int64_t> dimensions,
                                        absl::Span<const int64_t> minor_to_major,
                                        absl::Span<const Tile> tiles = {},
                                        int64_t memory_space = 0);
  static Shape MakeShapeWithLayout(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
                                   absl::Span<const int64_t> minor_to_major,
                                   absl::Span<const Tile> tiles = {},
                                   int64_t element_size_in_bits = 0, int64_t memory_space = 0);
  static Shape ChangeElementType(const Shape& original, PrimitiveType type);

  static Shape MakeTupleShape(absl::Span<const Shape> shapes);
  static Shape MakeTupleShapeWithPtrs(absl::Span<const Shape* const> shapes);
  // Returns the shape itself if there is one, else a tuple of the shapes.
  static Shape MakeMaybeTupleShape(absl::Span<const Shape> shapes);
  static Shape MakeNil() { return MakeTupleShape({}); }
  static Shape MakeTokenShape();
  static Shape MakeOpaqueShape();
  static void AppendShapeToTuple(const Shape& shape, Shape* tuple_shape);
  static ProgramShape MakeProgramShape(std::initializer_list<Shape> parameters, Shape result);

  // XLA's documentation of custom calls uses these names for MakeShape and MakeTupleShape. XLA has
  // no such functions.
  static Shape CreateShape(PrimitiveType element_type, absl::Span<const int64_t> dimensions) {
    return MakeShape(element_type, dimensions);
  }
  static Shape MakeTuple(absl::Span<const Shape> shapes) { return MakeTupleShape(shapes); }

  // Returns the product of an array's dimensions.
  static int64_t ElementsIn(const Shape& shape);
  // Returns the number of elements in all arrays of the shape.
  static int64_t ElementsInRecursive(const Shape& shape);
  // Returns the bytes of an array. Returns 0 for a token, and for a tuple the bytes of a table of
  // one pointer for each element.
  static int64_t ByteSizeOf(const Shape& shape, int64_t pointer_size = -1);
  static int64_t ByteSizeOfElements(const Shape& shape);
  static int64_t ByteSizeOfTupleIndexTable(const Shape& shape, int64_t pointer_size);
  static int64_t ByteSizeOfPrimitiveType(PrimitiveType type);

  // Return texts such as "f32[2,3]", "f32[2,3]{1,0}" and "(x: f32[2]) -> f32[]".
  static std::string HumanString(const Shape& shape) { return shape.ToString(); }
  static std::string HumanStringWithLayout(const Shape& shape) { return shape.ToString(true); }
  static std::string HumanString(const ProgramShape& shape) { return shape.ToString(); }

  // Of these, only Equal and EqualIgnoringElementType compare layouts.
  static bool Equal(const Shape& left, const Shape& right);
  static bool EqualIgnoringElementType(const Shape& left, const Shape& right);
  static bool Compatible(const Shape& left, const Shape& right);
  static bool CompatibleIgnoringElementType(const Shape& left, const Shape& right);
  static bool CompatibleIgnoringFpPrecision(const Shape& left, const Shape& right);
  // Return false unless both shapes are arrays.
  static bool SameDimensions(const Shape& left, const Shape& right);
  static bool SameRank(const Shape& left, const Shape& right);
  static bool SameElementType(const Shape& left, const Shape& right) {
    return left.element_type() == right.element_type();
  }

  static bool IsScalar(const Shape& shape) { return shape.IsArray() && shape.rank() == 0; }
  static bool IsEffectiveScalar(const Shape& shape) {
    return shape.IsArray() && TrueRank(shape) == 0;
  }
  static bool IsScalarWithElementType(const Shape& shape, PrimitiveType element_type) {
    return IsScalar(shape) && shape.element_type() == element_type;
  }
  static bool IsZeroElementArray(const Shape& shape);
  static bool IsArrayPrimitiveType(PrimitiveType type) { return primitive_util::IsArrayType(type); }
  static bool IsInitialized(const Shape& shape) {
    return shape.element_type() != PRIMITIVE_TYPE_INVALID;
  }
  static bool HasPrimitiveType(const Shape& shape, PrimitiveType type);
  static bool ElementIsIntegral(const Shape& shape);
  static bool ElementIsFloating(const Shape& shape);
  static bool ElementIsComplex(const Shape& shape);
  static bool ElementIsSigned(const Shape& shape);
  // Returns the number of dimensions that are not 1.
  static int64_t TrueRank(const Shape& shape);
  // Negative dimension numbers count from the last dimension.
  static int64_t GetDimension(const Shape& shape, int64_t dimension_number);
  static int64_t GetDimensionNumber(const Shape& shape, int64_t dimension_number);

  static bool IsNestedTuple(const Shape& shape);
  static bool IsEmptyTuple(const Shape& shape);
  static int64_t TupleElementCount(const Shape& shape);
  static const Shape& GetTupleElementShape(const Shape& shape, int64_t index);
  // Returns the number of subshapes, the shape itself included.
  static int64_t SubshapeCount(const Shape& shape);
  static bool IndexIsValid(const Shape& shape, ShapeIndexView index);
  static const Shape& GetSubshape(const Shape& shape, ShapeIndexView index);
  static StatusOr<const Shape*> TryGetSubshape(const Shape& shape, ShapeIndexView index);
  static Shape* GetMutableSubshape(Shape* shape, ShapeIndexView index);
  // The leaves of a shape are its subshapes that are not tuples, in preorder.
  static bool IsLeafIndex(const Shape& shape, const ShapeIndex& index);
  static int64_t GetLeafCount(const Shape& shape);
  static std::vector<IndexedShape> GetLeafShapes(const Shape& shape);

  // Returns INVALID_ARGUMENT, with the reason, for an invalid type, a negative dimension, a size
  // that does not fit int64, or an invalid or missing layout.
  static Status ValidateShape(const Shape& shape);
  // Same as ValidateShape(), but arrays need no layout.
  static Status ValidateShapeWithOptionalLayout(const Shape& shape);

  // Calls fn(const Shape& subshape, const ShapeIndex& index) for each subshape in preorder. The
  // forms WithStatus stop at the first error and return it.
  template <typename Fn>
  static void ForEachSubshape(const Shape& shape, Fn&& fn) {
    ForEachSubshapeWithStatus(shape, [&](const Shape& subshape, const ShapeIndex& index) {
      fn(subshape, index);
      return OkStatus();
    }).IgnoreError();
  }
  template <typename Fn>
  static void ForEachMutableSubshape(Shape* shape, Fn&& fn) {
    ForEachMutableSubshapeWithStatus(shape, [&](Shape* subshape, const ShapeIndex& index) {
      fn(subshape, index);
      return OkStatus();
    }).IgnoreError();
  }
  template <typename Fn>
  static Status ForEachSubshapeWithStatus(const Shape& shape, Fn&& fn) {
    ShapeIndex index;
    return ForEach(shape, fn, index);
  }
  template <typename Fn>
  static Status ForEachMutableSubshapeWithStatus(Shape* shape, Fn&& fn) {
    ShapeIndex index;
    auto pointer_fn = [&](Shape& subshape, const ShapeIndex& i) { return fn(&subshape, i); };
    return ForEach(*shape, pointer_fn, index);
  }

 private:
  // S is Shape or const Shape.
  template <typename S, typename Fn>
  static Status ForEach(S& shape, Fn& fn, ShapeIndex& index) {
    Status status = fn(shape, index);
    if (!shape.IsTuple()) return status;
    for (int i = 0; status.ok() && i < shape.tuple_shapes_size(); ++i) {
      index.push_back(i);
      if constexpr (std::is_const_v<S>) {
        status = ForEach(shape.tuple_shapes(i), fn, index);
      } else {
        status = ForEach(*shape.mutable_tuple_shapes(i), fn, index);
      }
      index.pop_back();
    }
    return status;
  }
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_SHAPE_UTIL_H_
