#include "callbridge/hlo/shape_proto.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/primitive_util.h"
#include "google/protobuf/message.h"
#include "google/protobuf/unknown_field_set.h"

namespace callbridge::hlo {
namespace {

absl::Status Unimplemented(absl::string_view what) {
  return absl::UnimplementedError(
      absl::StrCat(what,
                   ", which callbridge cannot pass to a custom call: expected a shape of "
                   "dense arrays, tokens and tuples of fixed sizes"));
}

// Ignores the memory space, which the backend chooses.
absl::StatusOr<Layout> LayoutFromProto(const xla::LayoutProto& proto) {
  if (proto.tiles_size() != 0) return Unimplemented("a tiled layout");
  const auto is_sparse = [](int type) { return type != xla::DIM_DENSE; };
  if (std::any_of(proto.dim_level_types().begin(), proto.dim_level_types().end(), is_sparse) ||
      proto.has_physical_shape()) {
    return Unimplemented("a sparse layout");
  }
  if (TailPaddingAlignmentInElements(proto) > 1) return Unimplemented("a padded layout");
  if (proto.dynamic_shape_metadata_prefix_bytes() != 0) {
    return Unimplemented("a layout with room for dynamic sizes");
  }
  Layout layout;
  layout.minor_to_major.assign(proto.minor_to_major().begin(), proto.minor_to_major().end());
  layout.element_size_in_bits = ElementSizeInBits(proto);
  return layout;
}

absl::StatusOr<Shape> ArrayFromProto(const xla::ShapeProto& proto) {
  const int flags = proto.is_dynamic_dimension_size();
  if (flags != 0 && flags != proto.dimensions_size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected as many is_dynamic_dimension as dimensions, ",
                     proto.dimensions_size(), ", or none; got ", flags));
  }
  const auto& dynamic = proto.is_dynamic_dimension();
  if (std::find(dynamic.begin(), dynamic.end(), true) != dynamic.end()) {
    return Unimplemented("an array with dynamic dimensions");
  }
  std::optional<Layout> layout;
  if (proto.has_layout()) {
    absl::StatusOr<Layout> said = LayoutFromProto(proto.layout());
    if (!said.ok()) return said.status();
    layout = *std::move(said);
  }
  return Shape::MakeArray(static_cast<PrimitiveType>(proto.element_type()),
                          {proto.dimensions().begin(), proto.dimensions().end()},
                          std::move(layout));
}

absl::StatusOr<Shape> FromProto(const xla::ShapeProto& proto, int depth) {
  const int type = proto.element_type();
  if (type == xla::BUFFER) return Unimplemented("a buffer shape");
  if (type != xla::TUPLE && proto.tuple_shapes_size() != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a shape other than a tuple to have no "
                     "elements; one of element type ",
                     type, " has ", proto.tuple_shapes_size()));
  }
  if (type == xla::OPAQUE_TYPE) return Unimplemented("an opaque shape");
  if (!IsPrimitiveType(type)) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an element type that is known; got number ", type));
  }
  if (type != xla::TUPLE && type != xla::TOKEN) return ArrayFromProto(proto);
  if (proto.dimensions_size() != 0 || proto.layout().minor_to_major_size() != 0) {
    return absl::InvalidArgumentError("expected only arrays to have dimensions and a layout");
  }
  if (type == xla::TOKEN) return Shape::MakeToken();
  if (depth > Shape::kMaxTupleDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected tuples nested at most ", Shape::kMaxTupleDepth, " deep"));
  }
  std::vector<Shape> elements;
  elements.reserve(proto.tuple_shapes_size());
  for (const xla::ShapeProto& element_proto : proto.tuple_shapes()) {
    absl::StatusOr<Shape> element = FromProto(element_proto, depth + 1);
    if (!element.ok()) return element;
    elements.push_back(*std::move(element));
  }
  return Shape::MakeTuple(std::move(elements));
}

void ToProto(const Shape& shape, xla::ShapeProto* proto) {
  proto->set_element_type(static_cast<xla::PrimitiveType>(shape.element_type()));
  for (const Shape& element : shape.tuple_elements()) ToProto(element, proto->add_tuple_shapes());
  proto->mutable_dimensions()->Assign(shape.dimensions().begin(), shape.dimensions().end());
  // XLA writes one for each dimension.
  proto->mutable_is_dynamic_dimension()->Resize(static_cast<int>(shape.dimensions().size()), false);
  if (!shape.layout().has_value()) return;
  const Layout& layout = *shape.layout();
  proto->mutable_layout()->mutable_minor_to_major()->Assign(layout.minor_to_major.begin(),
                                                            layout.minor_to_major.end());
  SetElementSizeInBits(layout.element_size_in_bits, proto->mutable_layout());
}

// Recursive, as deep as shapes may be.
void ForEachArray(xla::ShapeProto* shape, void (*fn)(xla::ShapeProto*)) {
  for (xla::ShapeProto& element : *shape->mutable_tuple_shapes()) ForEachArray(&element, fn);
  if (shape->element_type() != xla::TUPLE && shape->element_type() != xla::TOKEN) fn(shape);
}

}  // namespace

absl::StatusOr<Shape> ShapeFromProto(const xla::ShapeProto& proto) {
  return FromProto(proto, /*depth=*/1);
}

xla::ShapeProto ShapeToProto(const Shape& shape) {
  xla::ShapeProto proto;
  ToProto(shape, &proto);
  return proto;
}

absl::StatusOr<Shape> ShapeFromXla(const xla::Shape& shape) {
  return ShapeFromProto(shape.ToProto());
}

xla::Shape ShapeToXla(const Shape& shape) { return xla::Shape(ShapeToProto(shape)); }

void AppendLeaves(const xla::ShapeProto& shape, std::vector<const xla::ShapeProto*>* leaves) {
  if (shape.element_type() != xla::TUPLE) {
    leaves->push_back(&shape);
    return;
  }
  for (const xla::ShapeProto& element : shape.tuple_shapes()) AppendLeaves(element, leaves);
}

void SetToDefaultLayout(xla::ShapeProto* shape) {
  ForEachArray(shape, [](xla::ShapeProto* array) {
    auto& minor_to_major = *array->mutable_layout()->mutable_minor_to_major();
    minor_to_major.Clear();
    for (int i = array->dimensions_size(); i > 0; --i) minor_to_major.Add(i - 1);
  });
}

void AddMissingLayouts(xla::ShapeProto* shape) {
  ForEachArray(shape, [](xla::ShapeProto* array) {
    if (!array->has_layout()) SetToDefaultLayout(array);
  });
}

// ---- Fields of LayoutProto that TensorFlow 2.13.1 did not have ----------------------------------

namespace {

constexpr int kElementSizeInBits = 7;
constexpr int kTailPaddingAlignmentInElements = 16;

// Returns the last field of this number that is a varint, or 0.
int64_t UnknownNumber(const xla::LayoutProto& layout, int number) {
  const google::protobuf::UnknownFieldSet& fields =
      xla::LayoutProto::GetReflection()->GetUnknownFields(layout);
  int64_t value = 0;
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField& field = fields.field(i);
    if (field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_VARINT) {
      value = static_cast<int64_t>(field.varint());
    }
  }
  return value;
}

}  // namespace

int64_t ElementSizeInBits(const xla::LayoutProto& layout) {
  return UnknownNumber(layout, kElementSizeInBits);
}

void SetElementSizeInBits(int64_t bits, xla::LayoutProto* layout) {
  // Most layouts have no unknown fields; this saves them the memory of an empty set.
  const google::protobuf::Reflection& reflection = *xla::LayoutProto::GetReflection();
  if (bits == 0 && reflection.GetUnknownFields(*layout).empty()) return;
  google::protobuf::UnknownFieldSet& fields = *reflection.MutableUnknownFields(layout);
  fields.DeleteByNumber(kElementSizeInBits);
  if (bits != 0) fields.AddVarint(kElementSizeInBits, static_cast<uint64_t>(bits));
}

int64_t TailPaddingAlignmentInElements(const xla::LayoutProto& layout) {
  return UnknownNumber(layout, kTailPaddingAlignmentInElements);
}

}  // namespace callbridge::hlo
