#include "callbridge/hlo/layout.h"

#include <algorithm>
#include <ostream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/hlo/shape.h"
#include "callbridge/hlo/shape_proto.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/status.h"

namespace xla {
inline namespace callbridge_v1 {

using internal::ElementAt;

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

// ---- LayoutUtil ---------------------------------------------------------------------------------

namespace {

void ForEachArray(Shape* shape, void (*fn)(Shape*)) {
  if (shape->IsTuple()) {
    for (Shape& element : *shape->mutable_tuple_shapes()) ForEachArray(&element, fn);
  } else {
    fn(shape);
  }
}

void ForEachArray(ProgramShape* program_shape, void (*fn)(Shape*)) {
  for (Shape& parameter : *program_shape->mutable_parameters()) ForEachArray(&parameter, fn);
  ForEachArray(program_shape->mutable_result(), fn);
}

void SetDefault(Shape* shape) {
  if (shape->IsArray()) {
    *shape->mutable_layout() = LayoutUtil::MakeDescendingLayout(shape->rank());
  } else {
    shape->clear_layout();
  }
}

void Clear(Shape* shape) { shape->clear_layout(); }

}  // namespace

Layout LayoutUtil::MakeLayout(absl::Span<const int64_t> minor_to_major,
                              absl::Span<const Tile> tiles, int64_t element_size_in_bits,
                              int64_t memory_space) {
  Layout layout(minor_to_major);
  layout.mutable_tiles()->assign(tiles.begin(), tiles.end());
  layout.set_element_size_in_bits(element_size_in_bits);
  layout.set_memory_space(memory_space);
  return layout;
}

Layout LayoutUtil::MakeLayoutFromMajorToMinor(absl::Span<const int64_t> major_to_minor) {
  Layout layout(major_to_minor);
  std::reverse(layout.mutable_minor_to_major()->begin(), layout.mutable_minor_to_major()->end());
  return layout;
}

Layout LayoutUtil::MakeDescendingLayout(int64_t rank) {
  Layout layout;
  while (rank > 0) layout.add_minor_to_major(--rank);
  return layout;
}

Layout LayoutUtil::MakeAscendingLayout(int64_t rank) {
  Layout layout;
  for (int64_t i = 0; i < rank; ++i) layout.add_minor_to_major(i);
  return layout;
}

Layout LayoutUtil::GetDefaultLayoutForShape(const Shape& shape) {
  return MakeDescendingLayout(shape.rank());
}

void LayoutUtil::SetToDefaultLayout(Shape* shape) { ForEachArray(shape, SetDefault); }

void LayoutUtil::SetToDefaultLayout(ProgramShape* program_shape) {
  ForEachArray(program_shape, SetDefault);
}

Shape LayoutUtil::GetWithDefaultLayout(const Shape& shape) {
  Shape copy = shape;
  SetToDefaultLayout(&copy);
  return copy;
}

void LayoutUtil::ClearLayout(Shape* shape) { ForEachArray(shape, Clear); }

void LayoutUtil::ClearLayout(ProgramShape* program_shape) { ForEachArray(program_shape, Clear); }

Status LayoutUtil::ValidateLayoutInShape(const Shape& shape, bool allow_missing_layouts) {
  return allow_missing_layouts ? ShapeUtil::ValidateShapeWithOptionalLayout(shape)
                               : ShapeUtil::ValidateShape(shape);
}

Status LayoutUtil::ValidateLayoutForShape(const Layout& layout, const Shape& shape) {
  if (!shape.IsArray()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an array, which has a layout; got ", shape.ToString()));
  }
  Shape copy = shape;
  *copy.mutable_layout() = layout;
  return ValidateLayoutInShape(copy);
}

bool LayoutUtil::HasLayout(const Shape& shape) {
  if (!shape.IsTuple()) return !shape.IsArray() || shape.has_layout();
  return std::all_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(), HasLayout);
}

bool LayoutUtil::LayoutsInShapesEqual(const Shape& left, const Shape& right) {
  if (left.IsTuple() || right.IsTuple()) {
    return left.IsTuple() && right.IsTuple() &&
           std::equal(left.tuple_shapes().begin(), left.tuple_shapes().end(),
                      right.tuple_shapes().begin(), right.tuple_shapes().end(),
                      LayoutsInShapesEqual);
  }
  if (!left.IsArray() || !right.IsArray()) return true;
  if (left.rank() != right.rank() || left.has_layout() != right.has_layout()) return false;
  return !left.has_layout() || left.layout() == right.layout();
}

bool LayoutUtil::IsMonotonicWithDim0Major(const Layout& layout) {
  return std::is_sorted(layout.minor_to_major().rbegin(), layout.minor_to_major().rend());
}

bool LayoutUtil::IsMonotonicWithDim0Minor(const Layout& layout) {
  return std::is_sorted(layout.minor_to_major().begin(), layout.minor_to_major().end());
}

bool LayoutUtil::IsDenseArray(const Shape& shape) {
  if (!shape.IsArray() || !shape.has_layout()) return shape.IsArray();
  const LayoutProto proto = shape.layout().ToProto();
  return std::all_of(proto.dim_level_types().begin(), proto.dim_level_types().end(),
                     [](int type) { return type == DIM_DENSE; });
}

int64_t LayoutUtil::Minor(const Layout& layout, int64_t place) {
  return layout.minor_to_major(static_cast<int>(place));
}

int64_t LayoutUtil::Major(const Layout& layout, int64_t place) {
  return layout.minor_to_major(static_cast<int>(layout.minor_to_major_size() - 1 - place));
}

}  // namespace callbridge_v1
}  // namespace xla
