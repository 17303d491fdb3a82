// StridedCopy: copies an array's elements from one order in memory to another.
#ifndef CALLBRIDGE_CLIENT_STRIDED_COPY_H_
#define CALLBRIDGE_CLIENT_STRIDED_COPY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "callbridge/abi/shape.h"

namespace callbridge::client {

class StridedCopy {
 public:
  // Copies bytes without reordering.
  static StridedCopy OfBytes(size_t size);
  // Copies the elements of `shape` from the order of its layout (row-major if it has none) to
  // row-major, and back.
  static StridedCopy ToRowMajor(const Shape& shape);
  static StridedCopy FromRowMajor(const Shape& shape);
  // Copies between row-major arrays; dimension i of the operand is dimension `dimensions[i]` of the
  // result.
  static StridedCopy Broadcast(const Shape& operand, absl::Span<const int64_t> dimensions,
                               const Shape& result);

  // Returns true if the copy does not reorder bytes.
  bool IsDense() const;
  void Run(const void* from, void* to) const;

 private:
  // From the slowest-varying to the fastest. Strides are in bytes.
  struct Dimension {
    int64_t size;
    int64_t from_stride;
    int64_t to_stride;
  };

  StridedCopy(int64_t element_bytes, const std::vector<Dimension>& dimensions);
  void RunInnermost(const char* from, char* to) const;

  // The bytes that are moved at once.
  int64_t unit_ = 0;
  // No dimension has size 1 or could be merged with the next one. An empty copy has one dimension
  // of size 0.
  std::vector<Dimension> dimensions_;
};

// Returns true if the array's elements are in row-major order: it has no layout, or that one.
bool IsRowMajor(const Shape& array);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_STRIDED_COPY_H_
