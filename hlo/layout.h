// xla::Layout, the order of an array's elements in memory, and xla::LayoutUtil.
#ifndef CALLBRIDGE_HLO_LAYOUT_H_
#define CALLBRIDGE_HLO_LAYOUT_H_

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/status.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace xla {
inline namespace callbridge_v1 {

class ProgramShape;
class Shape;

using DimensionVector = absl::InlinedVector<int64_t, 6>;

// One level of a tiled layout.
class CALLBRIDGE_EXPORTED Tile {
 public:
  // A dimension of this value is combined with the next dimension before tiling.
  static constexpr int64_t kCombineDimension = std::numeric_limits<int64_t>::min();

  Tile() = default;
  explicit Tile(absl::Span<const int64_t> dimensions)
      : dimensions_(dimensions.begin(), dimensions.end()) {}

  static Tile CreateFromProto(const TileProto& proto);
  TileProto ToProto() const;
  // Returns a text such as "(8,128)".
  std::string ToString() const;

  absl::Span<const int64_t> dimensions() const { return dimensions_; }
  int64_t dimension(int index) const;
  Tile& add_dimensions(int64_t value) {
    dimensions_.push_back(value);
    return *this;
  }
  Tile& clear_dimensions() {
    dimensions_.clear();
    return *this;
  }

  bool operator==(const Tile& other) const { return dimensions_ == other.dimensions_; }
  bool operator!=(const Tile& other) const { return !(*this == other); }

 private:
  std::vector<int64_t> dimensions_;
};

// The order of dimensions in memory, with tiles, element size and memory space. An index out of
// range ends the process with a message.
class CALLBRIDGE_EXPORTED Layout {
 public:
  static constexpr int64_t kDefaultMemorySpace = 0;
  static constexpr int64_t kGenericFastMemorySpace = 1;

  Layout() = default;
  explicit Layout(absl::Span<const int64_t> minor_to_major)
      : minor_to_major_(minor_to_major.begin(), minor_to_major.end()) {}

  static Layout CreateFromProto(const LayoutProto& proto);
  LayoutProto ToProto() const;
  // Returns a text such as "{1,0}", or "{1,0:T(8,128)E(4)S(1)}" with tiles, an element size and a
  // memory space.
  std::string ToString() const;

  // The dimension numbers, fastest-varying first.
  absl::Span<const int64_t> minor_to_major() const { return minor_to_major_; }
  int minor_to_major_size() const { return static_cast<int>(minor_to_major_.size()); }
  int64_t minor_to_major(int index) const;
  Layout& set_minor_to_major(int index, int64_t value);
  Layout& add_minor_to_major(int64_t value) {
    minor_to_major_.push_back(value);
    return *this;
  }
  Layout& clear_minor_to_major() {
    minor_to_major_.clear();
    return *this;
  }
  DimensionVector* mutable_minor_to_major() { return &minor_to_major_; }

  absl::Span<const Tile> tiles() const { return tiles_; }
  int64_t tiles_size() const { return static_cast<int64_t>(tiles_.size()); }
  const Tile& tiles(int index) const;
  Tile* mutable_tiles(int index);
  Tile* add_tiles() { return &tiles_.emplace_back(); }
  Layout& clear_tiles() {
    tiles_.clear();
    return *this;
  }
  std::vector<Tile>* mutable_tiles() { return &tiles_; }

  // The size of an element in bits. 0 means the natural size of the element type.
  int64_t element_size_in_bits() const { return element_size_in_bits_; }
  Layout& set_element_size_in_bits(int64_t value) {
    element_size_in_bits_ = value;
    return *this;
  }

  int64_t memory_space() const { return memory_space_; }
  Layout& set_memory_space(int64_t value) {
    memory_space_ = value;
    return *this;
  }

  // Returns true if the LayoutProto had fields without an accessor here, such as those of sparse
  // arrays. ToProto() writes them back.
  bool has_more() const { return !more_.empty(); }

  void Swap(Layout* other) { std::swap(*this, *other); }
  void Clear() { *this = Layout(); }

  // Compares layouts, except for the properties that are set to be ignored.
  class CALLBRIDGE_EXPORTED Equal {
   public:
    bool operator()(const Layout& left, const Layout& right) const;
    Equal& IgnoreTiles() {
      ignore_tiles_ = true;
      return *this;
    }
    Equal& IgnoreElementSize() {
      ignore_element_size_ = true;
      return *this;
    }
    Equal& IgnoreMemorySpace() {
      ignore_memory_space_ = true;
      return *this;
    }
    Equal& MinorToMajorOnly() {
      minor_to_major_only_ = true;
      return *this;
    }

   private:
    bool ignore_tiles_ = false;
    bool ignore_element_size_ = false;
    bool ignore_memory_space_ = false;
    bool minor_to_major_only_ = false;
  };

  bool operator==(const Layout& other) const { return Equal()(*this, other); }
  bool operator!=(const Layout& other) const { return !(*this == other); }

 private:
  DimensionVector minor_to_major_;
  std::vector<Tile> tiles_;
  int64_t element_size_in_bits_ = 0;
  int64_t memory_space_ = 0;
  // The other fields of the LayoutProto, serialized.
  std::string more_;
};

// Makes and compares layouts.
class CALLBRIDGE_EXPORTED LayoutUtil {
 public:
  LayoutUtil() = delete;

  static Layout MakeLayout(absl::Span<const int64_t> minor_to_major,
                           absl::Span<const Tile> tiles = {}, int64_t element_size_in_bits = 0,
                           int64_t memory_space = 0);
  static Layout MakeLayoutFromMajorToMinor(absl::Span<const int64_t> major_to_minor);
  // Returns the row-major layout {rank-1, ..., 1, 0}.
  static Layout MakeDescendingLayout(int64_t rank);
  // Returns the column-major layout {0, 1, ..., rank-1}.
  static Layout MakeAscendingLayout(int64_t rank);

  // The default layout is row-major.
  static Layout GetDefaultLayoutForShape(const Shape& shape);
  static Layout GetDefaultLayoutForRank(int64_t rank) { return MakeDescendingLayout(rank); }
  static Layout GetDefaultLayoutForR2() { return MakeDescendingLayout(2); }
  static Layout GetDefaultLayoutForR3() { return MakeDescendingLayout(3); }
  static Layout GetDefaultLayoutForR4() { return MakeDescendingLayout(4); }
  // Gives every array of the shape the default layout.
  static void SetToDefaultLayout(Shape* shape);
  static void SetToDefaultLayout(ProgramShape* program_shape);
  static Shape GetWithDefaultLayout(const Shape& shape);
  // Removes the layouts of all arrays of the shape.
  static void ClearLayout(Shape* shape);
  static void ClearLayout(ProgramShape* program_shape);

  // Returns INVALID_ARGUMENT, with the reason, unless the layouts of all arrays are valid.
  static Status ValidateLayoutInShape(const Shape& shape, bool allow_missing_layouts = false);
  // Returns INVALID_ARGUMENT, with the reason, unless the array `shape` may have the layout.
  static Status ValidateLayoutForShape(const Layout& layout, const Shape& shape);

  // Returns true if every array of the shape has a layout.
  static bool HasLayout(const Shape& shape);
  static bool Equal(const Layout& left, const Layout& right) { return left == right; }
  // Compares the layouts of two shapes that have the same tuples and ranks.
  static bool LayoutsInShapesEqual(const Shape& left, const Shape& right);
  static bool IsMonotonicWithDim0Major(const Layout& layout);
  static bool IsMonotonicWithDim0Minor(const Layout& layout);
  static bool IsDenseArray(const Shape& shape);

  // Returns the dimension that varies fastest (place 0), next fastest (place 1), and so on.
  static int64_t Minor(const Layout& layout, int64_t place);
  // Returns the dimension that varies slowest (place 0), next slowest (place 1), and so on.
  static int64_t Major(const Layout& layout, int64_t place);
  static absl::Span<const int64_t> MinorToMajor(const Shape& shape);  // defined in shape.h
  static absl::Span<const int64_t> MinorToMajor(const Layout& layout) {
    return layout.minor_to_major();
  }
  static std::string HumanString(const Layout& layout) { return layout.ToString(); }
};

CALLBRIDGE_EXPORTED std::ostream& operator<<(std::ostream& out, const Tile& tile);
CALLBRIDGE_EXPORTED std::ostream& operator<<(std::ostream& out, const Layout& layout);

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_LAYOUT_H_
