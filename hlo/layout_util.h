// xla::LayoutUtil: making layouts and comparing them.
#ifndef CALLBRIDGE_HLO_LAYOUT_UTIL_H_
#define CALLBRIDGE_HLO_LAYOUT_UTIL_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/status.h"

namespace xla {
inline namespace callbridge_v1 {

class CALLBRIDGE_EXPORTED LayoutUtil {
 public:
  LayoutUtil() = delete;

  static Layout MakeLayout(absl::Span<const int64_t> minor_to_major,
                           absl::Span<const Tile> tiles = {}, int64_t element_size_in_bits = 0,
                           int64_t memory_space = 0);
  static Layout MakeLayoutFromMajorToMinor(absl::Span<const int64_t> major_to_minor);
  // {rank-1, ..., 1, 0}: row-major. Ascending is column-major.
  static Layout MakeDescendingLayout(int64_t rank);
  static Layout MakeAscendingLayout(int64_t rank);

  // The row-major ones.
  static Layout GetDefaultLayoutForShape(const Shape& shape);
  static Layout GetDefaultLayoutForRank(int64_t rank) { return MakeDescendingLayout(rank); }
  static Layout GetDefaultLayoutForR2() { return MakeDescendingLayout(2); }
  static Layout GetDefaultLayoutForR3() { return MakeDescendingLayout(3); }
  static Layout GetDefaultLayoutForR4() { return MakeDescendingLayout(4); }
  // Row-major on every array of the shape.
  static void SetToDefaultLayout(Shape* shape);
  static void SetToDefaultLayout(ProgramShape* program_shape);
  static Shape GetWithDefaultLayout(const Shape& shape);
  static void ClearLayout(Shape* shape);
  static void ClearLayout(ProgramShape* program_shape);

  // INVALID_ARGUMENT says what is wrong with it.
  static Status ValidateLayoutInShape(const Shape& shape, bool allow_missing_layouts = false);
  static Status ValidateLayoutForShape(const Layout& layout, const Shape& shape);

  // True where every array of the shape has one.
  static bool HasLayout(const Shape& shape);
  static bool Equal(const Layout& left, const Layout& right) { return left == right; }
  // Of two shapes of the same tuples and ranks.
  static bool LayoutsInShapesEqual(const Shape& left, const Shape& right);
  static bool IsMonotonicWithDim0Major(const Layout& layout);
  static bool IsMonotonicWithDim0Minor(const Layout& layout);
  static bool IsDenseArray(const Shape& shape);

  // The dimension at that place, 0 the fastest- (Minor) or slowest-varying (Major).
  static int64_t Minor(const Layout& layout, int64_t place);
  static int64_t Major(const Layout& layout, int64_t place);
  static absl::Span<const int64_t> MinorToMajor(const Shape& shape) {
    return shape.layout().minor_to_major();
  }
  static absl::Span<const int64_t> MinorToMajor(const Layout& layout) {
    return layout.minor_to_major();
  }
  static std::string HumanString(const Layout& layout) { return layout.ToString(); }
};

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_LAYOUT_UTIL_H_
