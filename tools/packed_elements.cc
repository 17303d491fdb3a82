#include "callbridge/tools/packed_elements.h"

#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"

namespace callbridge {
namespace {

bool IsSubByte(const Shape& shape) { return shape.IsArray() && BitWidth(shape.element_type()) < 8; }

// The layout, or that of row-major where none is said.
Layout LayoutOf(const Shape& shape) {
  if (shape.layout().has_value()) return *shape.layout();
  Layout row_major;
  row_major.minor_to_major.resize(shape.dimensions().size());
  std::iota(row_major.minor_to_major.rbegin(), row_major.minor_to_major.rend(), 0);
  return row_major;
}

// The shape, with this size of elements; 0 is a byte each.
absl::StatusOr<Shape> WithElementSize(const Shape& shape, int64_t bits) {
  Layout layout = LayoutOf(shape);
  layout.element_size_in_bits = bits;
  return Shape::MakeArray(shape.element_type(),
                          {shape.dimensions().begin(), shape.dimensions().end()}, layout);
}

// Where element `i` is, packed.
struct Place {
  Place(int64_t i, int bits)
      : byte(i / (8 / bits)), shift(static_cast<int>(i % (8 / bits)) * bits) {}
  int64_t byte;
  int shift;
};

}  // namespace

absl::StatusOr<Shape> PackedShape(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_elements()) {
      absl::StatusOr<Shape> packed = PackedShape(element);
      if (!packed.ok()) return packed;
      elements.push_back(*std::move(packed));
    }
    return Shape::MakeTuple(std::move(elements));
  }
  return IsSubByte(shape) ? WithElementSize(shape, BitWidth(shape.element_type())) : shape;
}

absl::StatusOr<Array> PackElements(Array array) {
  if (!IsSubByte(array.shape)) return array;
  const absl::StatusOr<Shape> shape = PackedShape(array.shape);
  if (!shape.ok()) return shape.status();
  absl::StatusOr<Array> packed = MakeArrayOfZeros(*shape);
  if (!packed.ok()) return packed;
  const int bits = BitWidth(shape->element_type());
  for (int64_t i = 0; i < shape->ElementCount(); ++i) {
    const Place place(i, bits);
    const int value = array.memory.data()[i] & ((1 << bits) - 1);
    char& byte = packed->memory.data()[place.byte];
    byte = static_cast<char>(byte | value << place.shift);
  }
  return packed;
}

absl::StatusOr<Array> UnpackElements(Array array) {
  const std::optional<Layout>& layout = array.shape.layout();
  const bool is_packed = layout.has_value() && layout->element_size_in_bits != 0;
  if (!IsSubByte(array.shape) || !is_packed) return array;
  const absl::StatusOr<Shape> shape = WithElementSize(array.shape, 0);
  if (!shape.ok()) return shape.status();
  absl::StatusOr<Array> unpacked = MakeArrayOfZeros(*shape);
  if (!unpacked.ok()) return unpacked;
  const int bits = BitWidth(shape->element_type());
  for (int64_t i = 0; i < shape->ElementCount(); ++i) {
    const Place place(i, bits);
    const int value = array.memory.data()[place.byte] >> place.shift & ((1 << bits) - 1);
    unpacked->memory.data()[i] = static_cast<char>(value);
  }
  return unpacked;
}

absl::Status CheckElementSizes(const Shape& shape) {
  for (const Shape* leaf : shape.Leaves()) {
    const int64_t bits = BitWidth(leaf->element_type());
    const int64_t stated = leaf->layout().has_value() ? leaf->layout()->element_size_in_bits : 0;
    if (stated == 0 || stated == bits) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        ShapeText(*leaf), ": custom calls get ", PrimitiveTypeName(leaf->element_type()), " in ",
        bits, " bits, never in ", stated, ": leave the \":E\" out"));
  }
  return absl::OkStatus();
}

}  // namespace callbridge
