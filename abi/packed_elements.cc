#include "callbridge/abi/packed_elements.h"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace callbridge {
namespace {

// The position of packed element `i`.
struct Place {
  Place(size_t i, int bits)
      : byte(i * static_cast<size_t>(bits) / 8),
        shift(static_cast<int>(i * static_cast<size_t>(bits) % 8)) {}
  size_t byte;
  int shift;
};

// Returns the layout, or row-major if there is none.
Layout LayoutOf(const Shape& shape) {
  if (shape.layout().has_value()) return *shape.layout();
  Layout row_major;
  row_major.minor_to_major.resize(shape.dimensions().size());
  std::iota(row_major.minor_to_major.rbegin(), row_major.minor_to_major.rend(), 0);
  return row_major;
}

// Returns the array with elements of this size; 0 means their natural size, at least a byte.
absl::StatusOr<Shape> WithElementSize(const Shape& array, int bits) {
  Layout layout = LayoutOf(array);
  layout.element_size_in_bits = bits;
  return Shape::MakeArray(array.element_type(),
                          {array.dimensions().begin(), array.dimensions().end()}, layout);
}

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
  if (!shape.IsArray() || BitWidth(shape.element_type()) >= 8) return shape;
  return WithElementSize(shape, BitWidth(shape.element_type()));
}

absl::StatusOr<Shape> UnpackedShape(const Shape& array) { return WithElementSize(array, 0); }

void PackElements(const void* elements, int bits, size_t count, void* packed) {
  for (size_t i = 0; i < count; ++i) {
    const Place place(i, bits);
    const int value = static_cast<const uint8_t*>(elements)[i] & ((1 << bits) - 1);
    uint8_t& byte = static_cast<uint8_t*>(packed)[place.byte];
    byte = static_cast<uint8_t>((place.shift == 0 ? 0 : byte) | value << place.shift);
  }
}

void UnpackElements(const void* packed, int bits, size_t count, void* elements) {
  for (size_t i = 0; i < count; ++i) {
    const Place place(i, bits);
    const int byte = static_cast<const uint8_t*>(packed)[place.byte];
    static_cast<uint8_t*>(elements)[i] =
        static_cast<uint8_t>(byte >> place.shift & ((1 << bits) - 1));
  }
}

}  // namespace callbridge
