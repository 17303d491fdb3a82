#include "callbridge/hlo/layout_util.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/hlo/shape_check.h"

namespace xla {
inline namespace callbridge_v1 {
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
  return ::callbridge::hlo::CheckXlaShape(shape, allow_missing_layouts
                                                     ? ::callbridge::hlo::Layouts::kOptional
                                                     : ::callbridge::hlo::Layouts::kRequired);
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
