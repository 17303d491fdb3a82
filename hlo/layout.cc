#include "callbridge/hlo/layout.h"

#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/hlo/element_at.h"
#include "callbridge/hlo/later_layout_fields.h"

namespace xla {
inline namespace callbridge_v1 {

using ::callbridge::hlo::ElementAt;

Tile Tile::CreateFromProto(const TileProto& proto) {
  return Tile(absl::MakeConstSpan(proto.dimensions().data(), proto.dimensions_size()));
}

TileProto Tile::ToProto() const {
  TileProto proto;
  proto.mutable_dimensions()->Assign(dimensions_.begin(), dimensions_.end());
  return proto;
}

std::string Tile::ToString() const {
  const auto append = [](std::string* out, int64_t dimension) {
    if (dimension == kCombineDimension) {
      absl::StrAppend(out, "*");
    } else {
      absl::StrAppend(out, dimension);
    }
  };
  return absl::StrCat("(", absl::StrJoin(dimensions_, ",", append), ")");
}

int64_t Tile::dimension(int index) const { return ElementAt(dimensions_, index, "tile dimension"); }

Layout Layout::CreateFromProto(const LayoutProto& proto) {
  Layout layout(absl::MakeConstSpan(proto.minor_to_major().data(), proto.minor_to_major_size()));
  for (const TileProto& tile : proto.tiles()) layout.tiles_.push_back(Tile::CreateFromProto(tile));
  layout.element_size_in_bits_ = ::callbridge::hlo::ElementSizeInBits(proto);
  layout.memory_space_ = proto.memory_space();
  LayoutProto more = proto;
  more.clear_minor_to_major();
  more.clear_tiles();
  ::callbridge::hlo::SetElementSizeInBits(0, &more);
  more.clear_memory_space();
  layout.more_ = more.SerializeAsString();
  return layout;
}

LayoutProto Layout::ToProto() const {
  LayoutProto proto;
  if (!more_.empty()) proto.ParseFromString(more_);
  proto.mutable_minor_to_major()->Assign(minor_to_major_.begin(), minor_to_major_.end());
  for (const Tile& tile : tiles_) *proto.add_tiles() = tile.ToProto();
  ::callbridge::hlo::SetElementSizeInBits(element_size_in_bits_, &proto);
  proto.set_memory_space(memory_space_);
  return proto;
}

std::string Layout::ToString() const {
  std::string text = absl::StrCat("{", absl::StrJoin(minor_to_major_, ","));
  if (!tiles_.empty() || element_size_in_bits_ != 0 || memory_space_ != 0) {
    absl::StrAppend(&text, ":");
    if (!tiles_.empty()) absl::StrAppend(&text, "T");
    for (const Tile& tile : tiles_) absl::StrAppend(&text, tile.ToString());
    if (element_size_in_bits_ != 0) absl::StrAppend(&text, "E(", element_size_in_bits_, ")");
    if (memory_space_ != 0) absl::StrAppend(&text, "S(", memory_space_, ")");
  }
  return absl::StrCat(text, "}");
}

int64_t Layout::minor_to_major(int index) const {
  return ElementAt(minor_to_major_, index, "place in the layout");
}

Layout& Layout::set_minor_to_major(int index, int64_t value) {
  ElementAt(minor_to_major_, index, "place in the layout") = value;
  return *this;
}

const Tile& Layout::tiles(int index) const { return ElementAt(tiles_, index, "tile"); }

Tile* Layout::mutable_tiles(int index) { return &ElementAt(tiles_, index, "tile"); }

bool Layout::Equal::operator()(const Layout& left, const Layout& right) const {
  if (left.minor_to_major_ != right.minor_to_major_) return false;
  if (minor_to_major_only_) return true;
  return (ignore_tiles_ || left.tiles_ == right.tiles_) &&
         (ignore_element_size_ || left.element_size_in_bits_ == right.element_size_in_bits_) &&
         (ignore_memory_space_ || left.memory_space_ == right.memory_space_) &&
         left.more_ == right.more_;
}

std::ostream& operator<<(std::ostream& out, const Tile& tile) { return out << tile.ToString(); }

std::ostream& operator<<(std::ostream& out, const Layout& layout) {
  return out << layout.ToString();
}

}  // namespace callbridge_v1
}  // namespace xla
