// Reads and writes a ShapeProto that somebody else made: this source is compiled with the genuine
// headers, into an old binary, and with ours, and object_layout_test.cc lets each read what the
// other one wrote.
#include <cstddef>
#include <string>

#include "tensorflow/compiler/xla/xla_data.pb.h"

namespace {

void Append(std::string* text, const char* field, long long value) {
  *text += field;
  *text += '=';
  *text += std::to_string(value);
  *text += ' ';
}

void Describe(const xla::ShapeProto& shape, std::string* text) {
  Append(text, "element_type", shape.element_type());
  for (const auto dimension : shape.dimensions()) Append(text, "dimension", dimension);
  for (int i = 0; i < shape.is_dynamic_dimension_size(); ++i) {
    Append(text, "is_dynamic", shape.is_dynamic_dimension(i));
  }
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    *text += "( ";
    Describe(shape.tuple_shapes(i), text);
    *text += ") ";
  }
  Append(text, "has_layout", shape.has_layout());
  if (!shape.has_layout()) return;
  const xla::LayoutProto& layout = shape.layout();
  for (const auto dimension : layout.minor_to_major()) Append(text, "minor_to_major", dimension);
  for (int i = 0; i < layout.dim_level_types_size(); ++i) {
    Append(text, "dim_level_type", layout.dim_level_types(i));
  }
  for (int i = 0; i < layout.dim_unique_size(); ++i) {
    Append(text, "dim_unique", layout.dim_unique(i));
  }
  for (int i = 0; i < layout.dim_ordered_size(); ++i) {
    Append(text, "dim_ordered", layout.dim_ordered(i));
  }
  for (const xla::TileProto& tile : layout.tiles()) {
    *text += "tile ";
    for (const auto dimension : tile.dimensions()) Append(text, "dimension", dimension);
  }
  Append(text, "memory_space", layout.memory_space());
  Append(text, "index_primitive_type", layout.index_primitive_type());
  Append(text, "pointer_primitive_type", layout.pointer_primitive_type());
  Append(text, "prefix_bytes", layout.dynamic_shape_metadata_prefix_bytes());
  if (layout.has_physical_shape()) {
    *text += "physical { ";
    Describe(layout.physical_shape(), text);
    *text += "} ";
  }
}

// Every field a value of its own.
void Fill(int seed, int depth, xla::ShapeProto* shape) {
  shape->set_element_type(depth > 0 ? xla::TUPLE : xla::F64);
  for (int i = 0; i < 3; ++i) shape->add_dimensions(seed * 100 + i);
  for (int i = 0; i < 3; ++i) shape->add_is_dynamic_dimension((seed + i) % 2 == 0);
  if (depth == 0) return;
  Fill(seed + 1, depth - 1, shape->add_tuple_shapes());
  Fill(seed + 2, 0, shape->add_tuple_shapes());
  xla::LayoutProto* layout = shape->mutable_layout();
  for (int i = 0; i < 4; ++i) layout->add_minor_to_major(seed * 1000 + i);
  layout->add_dim_level_types(xla::DIM_COMPRESSED);
  layout->add_dim_level_types(xla::DIM_SINGLETON);
  layout->add_dim_unique(true);
  layout->add_dim_ordered(false);
  layout->add_dim_ordered(true);
  layout->add_tiles()->add_dimensions(seed + 7);
  layout->add_tiles()->add_dimensions(seed + 8);
  layout->set_memory_space(seed + 9);
  layout->set_index_primitive_type(xla::U32);
  layout->set_pointer_primitive_type(xla::U64);
  layout->set_dynamic_shape_metadata_prefix_bytes(seed + 11);
  Fill(seed + 3, 0, layout->mutable_physical_shape());
}

}  // namespace

extern "C" {

void DescribeShape(const xla::ShapeProto* shape, std::string* text) { Describe(*shape, text); }

void FillShape(int seed, xla::ShapeProto* shape) { Fill(seed, 3, shape); }

// As targets do that are given their shape in the opaque: the object is on this binary's stack.
bool DescribeBytes(const char* opaque, size_t opaque_len, std::string* text) {
  xla::ShapeProto shape;
  if (!shape.ParseFromArray(opaque, static_cast<int>(opaque_len))) return false;
  Describe(shape, text);
  const xla::ShapeProto copy = shape;
  std::string again;
  Describe(copy, &again);
  return again == *text;
}

size_t SizeOfShape() { return sizeof(xla::ShapeProto); }
size_t SizeOfLayout() { return sizeof(xla::LayoutProto); }
size_t SizeOfTile() { return sizeof(xla::TileProto); }
}
