// Shape: the form of a value in XLA: an array, a tuple of shapes, or a token.
//
// The *leaves* of a tuple are the arrays and tokens in it, depth first, left to right ("preorder").
// A shape that is not a tuple is its own single leaf. An empty tuple has no leaves.
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
  // Bits of one element, if not its natural size (XLA's "E(4)"); 0 = natural.
  int64_t element_size_in_bits = 0;

  friend bool operator==(const Layout& a, const Layout& b) {
    return a.minor_to_major == b.minor_to_major && a.element_size_in_bits == b.element_size_in_bits;
  }
  friend bool operator!=(const Layout& a, const Layout& b) { return !(a == b); }
};

class Shape {
 public:
  // The deepest nesting of tuples that MakeTuple, ParseShape and site descriptors accept. XLA has
  // no limit; this one keeps recursion over hostile input from overflowing the stack.
  static constexpr int kMaxTupleDepth = 128;

  // The empty tuple `()`.
  Shape() = default;

  // Makes an array. Returns INVALID_ARGUMENT if the type is not an element type, a dimension is
  // negative, the layout is not a permutation, or the byte size does not fit int64.
  static absl::StatusOr<Shape> MakeArray(PrimitiveType element_type,
                                         std::vector<int64_t> dimensions,
                                         std::optional<Layout> layout = std::nullopt);
  // Returns INVALID_ARGUMENT if the tuple would be nested deeper than kMaxTupleDepth.
  static absl::StatusOr<Shape> MakeTuple(std::vector<Shape> elements);
  static Shape MakeToken();

  bool IsArray() const { return IsArrayElement(type_); }
  bool IsTuple() const { return type_ == PrimitiveType::kTuple; }
  bool IsToken() const { return type_ == PrimitiveType::kToken; }

  // Returns kTuple for a tuple and kToken for a token.
  PrimitiveType element_type() const { return type_; }
  // Empty for tuples and tokens.
  absl::Span<const int64_t> dimensions() const { return dimensions_; }
  // Absent if not given: row-major for all that concerns bytes.
  const std::optional<Layout>& layout() const { return layout_; }
  // Empty if the shape is not a tuple.
  absl::Span<const Shape> tuple_elements() const { return elements_; }

  // Returns the product of the dimensions (1 for rank 0); 0 for tuples and tokens.
  int64_t ElementCount() const;
  // Returns the bytes of the array's buffer: elements of less than a byte take a byte each unless
  // the layout packs them (XLA's ShapeUtil::ByteSizeOf). Returns 0 for a token, the sum over its
  // leaves for a tuple, and INVALID_ARGUMENT if that sum does not fit int64.
  absl::StatusOr<int64_t> ByteSize() const;

  // Returns the levels of tuples: 0 for an array or token, 1 for `()` and `(f32[])`.
  int TupleDepth() const { return depth_; }
  // Returns the number of leaves.
  int64_t LeafCount() const;
  // Returns the leaves in preorder. They point into this shape, which must outlive them.
  std::vector<const Shape*> Leaves() const;

  // Returns the shape without any layout. Returns INVALID_ARGUMENT if an array whose layout packs
  // its elements would be too large without it.
  absl::StatusOr<Shape> WithoutLayouts() const;

  // Compares type, dimensions, layout and, for tuples, elements.
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
