#include "callbridge/tools/packed_elements.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"

namespace callbridge {
namespace {

bool IsSubByte(const Shape& shape) { return shape.IsArray() && BitWidth(shape.element_type()) < 8; }

}  // namespace

absl::StatusOr<Array> PackElements(Array array) {
  if (!IsSubByte(array.shape)) return array;
  const absl::StatusOr<Shape> shape = PackedShape(array.shape);
  if (!shape.ok()) return shape.status();
  absl::StatusOr<Array> packed = MakeArrayOfZeros(*shape);
  if (!packed.ok()) return packed;
  PackElements(array.memory.data(), BitWidth(shape->element_type()),
               static_cast<size_t>(shape->ElementCount()), packed->memory.data());
  return packed;
}

absl::StatusOr<Array> UnpackElements(Array array) {
  const std::optional<Layout>& layout = array.shape.layout();
  const bool is_packed = layout.has_value() && layout->element_size_in_bits != 0;
  if (!IsSubByte(array.shape) || !is_packed) return array;
  const absl::StatusOr<Shape> shape = UnpackedShape(array.shape);
  if (!shape.ok()) return shape.status();
  absl::StatusOr<Array> unpacked = MakeArrayOfZeros(*shape);
  if (!unpacked.ok()) return unpacked;
  UnpackElements(array.memory.data(), BitWidth(shape->element_type()),
                 static_cast<size_t>(shape->ElementCount()), unpacked->memory.data());
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
