#include "callbridge/tools/array.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace callbridge {
namespace {

bool IsRowMajor(const Layout& layout) {
  return std::is_sorted(layout.minor_to_major.rbegin(), layout.minor_to_major.rend());
}

// Returns the bytes between neighbours along each dimension.
std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.dimensions().size());
  int64_t stride = ElementBytes(shape.element_type());
  for (int64_t dimension : shape.layout()->minor_to_major) {
    strides[dimension] = stride;
    stride *= shape.dimensions()[dimension];
  }
  return strides;
}

// Copies the elements in row-major order, the last dimension fastest.
void CopyElements(const Array& from, char* to) {
  const absl::Span<const int64_t> dimensions = from.shape.dimensions();
  const std::vector<int64_t> strides = Strides(from.shape);
  const size_t element_bytes = ElementBytes(from.shape.element_type());
  std::vector<int64_t> index(dimensions.size(), 0);
  const char* element = from.memory.data();
  for (int64_t left = from.shape.ElementCount(); left > 0; --left, to += element_bytes) {
    std::memcpy(to, element, element_bytes);
    for (size_t d = dimensions.size(); d-- > 0;) {
      element += strides[d];
      if (++index[d] < dimensions[d]) break;
      element -= strides[d] * dimensions[d];
      index[d] = 0;
    }
  }
}

}  // namespace

absl::StatusOr<Array> MakeArrayOfZeros(const Shape& shape) {
  if (shape.IsToken()) return Array{shape, {}};
  const absl::StatusOr<int64_t> size = shape.ByteSize();
  if (!size.ok()) return size.status();
  absl::StatusOr<AlignedMemory> memory = AlignedMemory::Allocate(static_cast<size_t>(*size));
  if (!memory.ok()) return memory.status();
  std::memset(memory->data(), 0, memory->size());
  return Array{shape, *std::move(memory)};
}

int64_t ElementBytes(PrimitiveType type) { return (BitWidth(type) + 7) / 8; }

absl::StatusOr<Array> ToRowMajor(Array array) {
  if (!array.shape.layout().has_value()) return array;
  const absl::Span<const int64_t> dimensions = array.shape.dimensions();
  const absl::StatusOr<Shape> shape = Shape::MakeArray(
      array.shape.element_type(), std::vector<int64_t>(dimensions.begin(), dimensions.end()));
  if (!shape.ok()) return shape.status();
  if (IsRowMajor(*array.shape.layout())) return Array{*shape, std::move(array.memory)};
  absl::StatusOr<Array> row_major = MakeArrayOfZeros(*shape);
  if (row_major.ok()) CopyElements(array, row_major->memory.data());
  return row_major;
}

}  // namespace callbridge
