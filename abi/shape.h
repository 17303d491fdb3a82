// Shape: what XLA knows of a value's form: an array, a tuple of shapes, or a token.
//
// A tuple's *leaves* are the arrays and tokens below it, depth first, left to right ("preorder");
// a shape that is no tuple is its own single leaf; an empty tuple has none.
#ifndef CALLBRIDGE_ABI_SHAPE_H_
#define CALLBRIDGE_ABI_SHAPE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "callbridge/abi/primitive_type.h"

namespace callbridge {

// The order of an array's dimensions in memory.
struct Layout {
  // Dimension numbers, the fastest-varying first; a permutation of 0..rank-1.
  std::vector<int64_t> minor_to_major;
  // Bits that one element takes, where that is not its natural size (XLA's "E(4)"); 0 = natural.
  int64_t element_size_in_bits = 0;

  friend bool operator==(const Layout& a, const Layout& b) {
    return a.minor_to_major == b.minor_to_major && a.element_size_in_bits == b.element_size_in_bits;
  }
  friend bool operator!=(const Layout& a, const Layout& b) { return !(a == b); }
};

class Shape {
 public:
  // Deepest nesting of tuples that MakeTuple, ParseShape and the site descriptor accept. XLA itself
  // sets no limit; this one keeps recursion over hostile input off the end of the stack.
  static constexpr int kMaxTupleDepth = 128;

  // The empty tuple `()`.
  Shape() = default;

  // An array. INVALID_ARGUMENT where the type is no array element, a dimension is negative, the
  // layout is no permutation, or the byte size does not fit int64.
  static absl::StatusOr<Shape> MakeArray(PrimitiveType element_type,
                                         std::vector<int64_t> dimensions,
                                         std::optional<Layout> layout = std::nullopt);
  // INVALID_ARGUMENT where the tuple would be nested deeper than kMaxTupleDepth.
  static absl::StatusOr<Shape> MakeTuple(std::vector<Shape> elements);
  static Shape MakeToken();

  bool IsArray() const { return IsArrayElement(type_); }
  bool IsTuple() const { return type_ == PrimitiveType::kTuple; }
  bool IsToken() const { return type_ == PrimitiveType::kToken; }

  // kTuple and kToken for those.
  PrimitiveType element_type() const { return type_; }
  // Empty for tuples and tokens.
  absl::Span<const int64_t> dimensions() const { return dimensions_; }
  // Absent means "not said": row-major wherever bytes are concerned.
  const std::optional<Layout>& layout() const { return layout_; }
  // Empty for what is no tuple.
  absl::Span<const Shape> tuple_elements() const { return elements_; }

  // Product of the dimensions (1 for rank 0); 0 for tuples and tokens.
  int64_t ElementCount() const;
  // Bytes of the array's buffer: sub-byte elements take a byte each unless the layout packs them
  // (XLA's ShapeUtil::ByteSizeOf). 0 for tokens. For a tuple the sum over its leaves, which fails
  // with INVALID_ARGUMENT where it does not fit int64.
  absl::StatusOr<int64_t> ByteSize() const;

  // Levels of tuples: 0 for an array or token, 1 for `()` and `(f32[])`.
  int TupleDepth() const { return depth_; }
  // Number of leaves.
  int64_t LeafCount() const;
  // The leaves in preorder. They point into this shape, which must outlive them.
  std::vector<const Shape*> Leaves() const;

  // The same without any layout. INVALID_ARGUMENT where elements that a layout packs would be too
  // many without it.
  absl::StatusOr<Shape> WithoutLayouts() const;

  // Equal in type, dimensions, layout and, for tuples, elements.
  friend bool operator==(const Shape& a, const Shape& b);
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

 private:
  PrimitiveType type_ = PrimitiveType::kTuple;
  int depth_ = 1;
  std::vector<int64_t> dimensions_;
  std::optional<Layout> layout_;
  std::vector<Shape> elements_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_SHAPE_H_
