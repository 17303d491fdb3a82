// An old binary whose targets (Host, version 3) are told their shapes by a serialized
// xla::ShapeProto in the opaque, as the documentation recommends. It uses protobuf in the ways that
// bake its layout in: inlined accessors, objects on the stack, in containers and static ones.
//
// A target's result is a byte array: the length of what it wrote, in 8 bytes, and that.
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/compiler/xla/service/custom_call_status.h"
#include "tensorflow/compiler/xla/service/custom_call_target_registry.h"
#include "tensorflow/compiler/xla/xla_data.pb.h"

namespace {

// Made by the binary's constructors, and destroyed when it is closed.
xla::ShapeProto seen;

// A neighbour notices where the library's object is larger than the binary's.
template <typename Message>
struct Guarded {
  uint64_t before = 0x1122334455667788;
  Message message;
  uint64_t after = 0x8877665544332211;

  bool IsWhole() const { return before == 0x1122334455667788 && after == 0x8877665544332211; }
};

template <typename Values>
std::string List(const char* name, const Values& values) {
  std::string text = std::string(" ") + name + "=";
  for (const auto& value : values) text += std::to_string(value) + ",";
  return text;
}

std::string Describe(const xla::ShapeProto& shape) {
  std::string text = "{" + std::to_string(shape.element_type());
  text += List("dimensions", shape.dimensions());
  text += List("dynamic", shape.is_dynamic_dimension());
  if (shape.has_layout()) {
    const xla::LayoutProto& layout = shape.layout();
    text += List("minor_to_major", layout.minor_to_major());
    for (const xla::TileProto& tile : layout.tiles()) text += List("tile", tile.dimensions());
    text += List("levels", layout.dim_level_types()) + List("unique", layout.dim_unique()) +
            List("ordered", layout.dim_ordered());
    text += " memory_space=" + std::to_string(layout.memory_space()) +
            " index=" + std::to_string(layout.index_primitive_type()) +
            " pointer=" + std::to_string(layout.pointer_primitive_type()) +
            " prefix=" + std::to_string(layout.dynamic_shape_metadata_prefix_bytes());
    if (layout.has_physical_shape()) text += Describe(layout.physical_shape());
  }
  for (const xla::ShapeProto& element : shape.tuple_shapes()) text += Describe(element);
  return text + "}";
}

// Writes every field.
void Fill(xla::ShapeProto* shape, int depth) {
  shape->set_element_type(xla::C128);
  for (int i = 0; i < 20; ++i) shape->add_dimensions(int64_t{1} << (2 * i));
  for (int i = 0; i < 20; ++i) shape->add_is_dynamic_dimension(i % 3 == 0);
  xla::LayoutProto* layout = shape->mutable_layout();
  for (int i = 0; i < 20; ++i) layout->add_minor_to_major(19 - i);
  layout->add_dim_level_types(xla::DIM_SINGLETON);
  layout->add_dim_unique(true);
  layout->add_dim_ordered(false);
  layout->add_tiles()->add_dimensions(8);
  layout->set_memory_space(5 + depth);
  layout->set_index_primitive_type(xla::U32);
  layout->set_pointer_primitive_type(xla::U64);
  layout->set_dynamic_shape_metadata_prefix_bytes(128);
  if (depth == 0) return;
  Fill(layout->mutable_physical_shape(), depth - 1);
  Fill(shape->add_tuple_shapes(), depth - 1);
  shape->add_tuple_shapes();
}

void Return(void* out, const std::string& bytes) {
  const uint64_t size = bytes.size();
  std::memcpy(out, &size, sizeof(size));
  std::memcpy(static_cast<char*>(out) + sizeof(size), bytes.data(), size);
}

bool Parse(const char* opaque, size_t size, xla::ShapeProto* shape, XlaCustomCallStatus* status) {
  if (shape->ParseFromArray(opaque, static_cast<int>(size))) return true;
  const std::string message = "the opaque is no ShapeProto";
  XlaCustomCallStatusSetFailure(status, message.data(), message.size());
  return false;
}

}  // namespace

// All that the accessors read, and how protobuf prints it by its descriptors.
void read_shape(void* out, const void**, const char* opaque, size_t size,
                XlaCustomCallStatus* status) {
  Guarded<xla::ShapeProto> shape;
  if (!Parse(opaque, size, &shape.message, status)) return;
  Return(out, Describe(shape.message) + "\n" + shape.message.DebugString() +
                  shape.message.ShortDebugString() + "\n" +
                  xla::PrimitiveType_Name(shape.message.element_type()) + "\n" +
                  std::to_string(shape.message.ByteSizeLong()) +
                  (shape.IsWhole() ? "" : " and it is larger than the binary's"));
}
XLA_REGISTER_CUSTOM_CALL_TARGET(read_shape, "Host");

// What the accessors write, with the shape of the opaque in it, serialized.
void write_shape(void* out, const void**, const char* opaque, size_t size,
                 XlaCustomCallStatus* status) {
  Guarded<xla::ShapeProto> shape;
  Fill(&shape.message, 3);
  if (!Parse(opaque, size, shape.message.add_tuple_shapes(), status)) return;
  Guarded<xla::LayoutProto> layout;
  Guarded<xla::TileProto> tile;
  for (int i = 0; i < 9; ++i) tile.message.add_dimensions(i);
  *layout.message.add_tiles() = tile.message;
  layout.message.MergeFrom(shape.message.layout());
  layout.message.set_dynamic_shape_metadata_prefix_bytes(-1);
  shape.message.add_tuple_shapes()->mutable_layout()->CopyFrom(layout.message);
  std::vector<xla::ShapeProto> copies(5, shape.message);
  copies.push_back(std::move(shape.message));
  swap(copies.front(), copies.back());
  copies.front().mutable_tuple_shapes(0)->Clear();
  seen.mutable_tuple_shapes()->Clear();
  for (xla::ShapeProto& copy : copies) seen.add_tuple_shapes()->Swap(&copy);
  std::string bytes = seen.SerializeAsString();
  // The library notes the size in the object, behind all fields.
  const size_t sizes = layout.message.ByteSizeLong() + tile.message.ByteSizeLong();
  if (sizes < 20 || !shape.IsWhole() || !layout.IsWhole() || !tile.IsWhole())
    bytes += " and too large";
  Return(out, bytes);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(write_shape, "Host");

#ifdef WITH_ARENA
#include "google/protobuf/arena.h"
#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"

// Text to ShapeProto in an arena, and whether it differs from one that is made by reflection.
void parse_text(void* out, const void**, const char* opaque, size_t size,
                XlaCustomCallStatus* status) {
  google::protobuf::Arena arena;
  auto* shape = google::protobuf::Arena::CreateMessage<xla::ShapeProto>(&arena);
  if (!google::protobuf::TextFormat::ParseFromString(std::string(opaque, size), shape)) {
    return XlaCustomCallStatusSetFailure(status, "no text", 7);
  }
  auto* other = google::protobuf::Arena::CreateMessage<xla::ShapeProto>(&arena);
  const google::protobuf::Reflection* reflection = other->GetReflection();
  const auto* field = other->GetDescriptor()->FindFieldByName("dimensions");
  for (int64_t dimension : shape->dimensions()) reflection->AddInt64(other, field, dimension);
  const bool same = google::protobuf::util::MessageDifferencer::Equals(*shape, *other);
  Return(out, shape->GetTypeName() + (same ? " same " : " differs ") + shape->SerializeAsString());
}
XLA_REGISTER_CUSTOM_CALL_TARGET(parse_text, "Host");
#endif
