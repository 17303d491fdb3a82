#include "callbridge/client/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace callbridge::client {
namespace {

// Returns the bytes between neighbours in each dimension, if the layout `minor_to_major` is dense.
std::vector<int64_t> Strides(absl::Span<const int64_t> dimensions,
                             absl::Span<const int64_t> minor_to_major, int64_t element_bytes) {
  std::vector<int64_t> strides(dimensions.size());
  // Unsigned, since with a dimension of size 0 the others may have any size.
  uint64_t stride = static_cast<uint64_t>(element_bytes);
  for (int64_t dimension : minor_to_major) {
    strides[dimension] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(dimensions[dimension]);
  }
  return strides;
}

std::vector<int64_t> RowMajorOrder(size_t rank) {
  std::vector<int64_t> order(rank);
  for (size_t i = 0; i < rank; ++i) order[i] = static_cast<int64_t>(rank - 1 - i);
  return order;
}

std::vector<int64_t> RowMajorStrides(const Shape& array, int64_t element_bytes) {
  return Strides(array.dimensions(), RowMajorOrder(array.dimensions().size()), element_bytes);
}

std::vector<int64_t> LayoutStrides(const Shape& array, int64_t element_bytes) {
  if (!array.layout().has_value()) return RowMajorStrides(array, element_bytes);
  return Strides(array.dimensions(), array.layout()->minor_to_major, element_bytes);
}

int64_t ElementBytes(const Shape& array) { return std::max(1, BitWidth(array.element_type()) / 8); }

template <typename Unit>
void CopyUnits(const char* from, char* to, int64_t count, int64_t from_stride, int64_t to_stride) {
  for (int64_t i = 0; i < count; ++i) {
    memcpy(to + i * to_stride, from + i * from_stride, sizeof(Unit));
  }
}

}  // namespace

bool IsRowMajor(const Shape& array) {
  if (!array.layout().has_value()) return true;
  const std::vector<int64_t>& order = array.layout()->minor_to_major;
  return order == RowMajorOrder(order.size());
}

StridedCopy::StridedCopy(int64_t element_bytes, const std::vector<Dimension>& dimensions)
    : unit_(element_bytes) {
  for (const Dimension& dimension : dimensions) {
    if (dimension.size == 0) {
      dimensions_ = {{0, 0, 0}};
      return;
    }
  }
  for (const Dimension& dimension : dimensions) {
    if (dimension.size == 1) continue;
    if (!dimensions_.empty()) {
      Dimension& outer = dimensions_.back();
      if (outer.from_stride == dimension.size * dimension.from_stride &&
          outer.to_stride == dimension.size * dimension.to_stride) {
        outer = {outer.size * dimension.size, dimension.from_stride, dimension.to_stride};
        continue;
      }
    }
    dimensions_.push_back(dimension);
  }
  if (!dimensions_.empty() && dimensions_.back().from_stride == unit_ &&
      dimensions_.back().to_stride == unit_) {
    unit_ *= dimensions_.back().size;
    dimensions_.pop_back();
  }
}

StridedCopy StridedCopy::OfBytes(size_t size) {
  return StridedCopy(1, {{static_cast<int64_t>(size), 1, 1}});
}

StridedCopy StridedCopy::ToRowMajor(const Shape& shape) {
  const int64_t element_bytes = ElementBytes(shape);
  const std::vector<int64_t> from = LayoutStrides(shape, element_bytes);
  const std::vector<int64_t> to = RowMajorStrides(shape, element_bytes);
  std::vector<Dimension> dimensions;
  for (size_t i = 0; i < from.size(); ++i) {
    dimensions.push_back({shape.dimensions()[i], from[i], to[i]});
  }
  return StridedCopy(element_bytes, dimensions);
}

StridedCopy StridedCopy::FromRowMajor(const Shape& shape) {
  StridedCopy copy = ToRowMajor(shape);
  for (Dimension& dimension : copy.dimensions_) {
    std::swap(dimension.from_stride, dimension.to_stride);
  }
  return copy;
}

StridedCopy StridedCopy::Broadcast(const Shape& operand, absl::Span<const int64_t> dimensions,
                                   const Shape& result) {
  const int64_t element_bytes = ElementBytes(operand);
  const std::vector<int64_t> from = RowMajorStrides(operand, element_bytes);
  const std::vector<int64_t> to = RowMajorStrides(result, element_bytes);
  std::vector<Dimension> copied;
  for (size_t i = 0; i < to.size(); ++i) copied.push_back({result.dimensions()[i], 0, to[i]});
  for (size_t i = 0; i < from.size(); ++i) copied[dimensions[i]].from_stride = from[i];
  return StridedCopy(element_bytes, copied);
}

bool StridedCopy::IsDense() const { return dimensions_.empty(); }

void StridedCopy::RunInnermost(const char* from, char* to) const {
  const Dimension& inner = dimensions_.back();
  switch (unit_) {
    case 1:
      return CopyUnits<char>(from, to, inner.size, inner.from_stride, inner.to_stride);
    case 2:
      return CopyUnits<char[2]>(from, to, inner.size, inner.from_stride, inner.to_stride);
    case 4:
      return CopyUnits<char[4]>(from, to, inner.size, inner.from_stride, inner.to_stride);
    case 8:
      return CopyUnits<char[8]>(from, to, inner.size, inner.from_stride, inner.to_stride);
    default:
      for (int64_t i = 0; i < inner.size; ++i) {
        memcpy(to + i * inner.to_stride, from + i * inner.from_stride, unit_);
      }
  }
}

void StridedCopy::Run(const void* from_array, void* to_array) const {
  const char* from = static_cast<const char*>(from_array);
  char* to = static_cast<char*>(to_array);
  if (IsDense()) {
    memcpy(to, from, unit_);
    return;
  }
  // Counts through all dimensions but the innermost.
  const size_t outer = dimensions_.size() - 1;
  std::vector<int64_t> position(outer);
  while (true) {
    RunInnermost(from, to);
    size_t i = outer;
    while (i > 0) {
      const Dimension& dimension = dimensions_[i - 1];
      from += dimension.from_stride;
      to += dimension.to_stride;
      if (++position[i - 1] < dimension.size) break;
      position[i - 1] = 0;
      from -= dimension.size * dimension.from_stride;
      to -= dimension.size * dimension.to_stride;
      --i;
    }
    if (i == 0) return;
  }
}

}  // namespace callbridge::client
