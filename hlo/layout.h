// xla::Layout: how an array lies in memory.
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
#include "callbridge/hlo/xla_data_proto.h"

namespace xla {
inline namespace callbridge_v1 {

using DimensionVector = absl::InlinedVector<int64_t, 6>;

// One level of a tiled layout.
class CALLBRIDGE_EXPORTED Tile {
 public:
  // In the place of a dimension: combined with the next one, before tiling.
  static constexpr int64_t kCombineDimension = std::numeric_limits<int64_t>::min();

  Tile() = default;
  explicit Tile(absl::Span<const int64_t> dimensions)
      : dimensions_(dimensions.begin(), dimensions.end()) {}

  static Tile CreateFromProto(const TileProto& proto);
  TileProto ToProto() const;
  // "(8,128)".
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

// Indices that do not exist end the process with a message.
class CALLBRIDGE_EXPORTED Layout {
 public:
  static constexpr int64_t kDefaultMemorySpace = 0;
  static constexpr int64_t kGenericFastMemorySpace = 1;

  Layout() = default;
  explicit Layout(absl::Span<const int64_t> minor_to_major)
      : minor_to_major_(minor_to_major.begin(), minor_to_major.end()) {}

  static Layout CreateFromProto(const LayoutProto& proto);
  LayoutProto ToProto() const;
  // "{1,0}"; tiles, element size and memory space, where there are any: "{1,0:T(8,128)E(4)S(1)}".
  std::string ToString() const;

  // Dimension numbers, the fastest-varying first.
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

  // Bits that an element takes; 0: its natural size.
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

  // What the message says of sparse arrays, padding and else that has no accessor here; it survives
  // a round trip. True where there is anything.
  bool has_more() const { return !more_.empty(); }

  void Swap(Layout* other) { std::swap(*this, *other); }
  void Clear() { *this = Layout(); }

  // Compares all that is not told to be ignored.
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
  // A serialized LayoutProto without what is above.
  std::string more_;
};

CALLBRIDGE_EXPORTED std::ostream& operator<<(std::ostream& out, const Tile& tile);
CALLBRIDGE_EXPORTED std::ostream& operator<<(std::ostream& out, const Layout& layout);

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_LAYOUT_H_
