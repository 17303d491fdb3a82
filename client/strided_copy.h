// StridedCopy: an array's elements from one order in memory to another.
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
  // Bytes that lie as they are to lie.
  static StridedCopy OfBytes(size_t size);
  // The elements of `shape`, from the order of its layout (row-major where it has none) to
  // row-major, and back.
  static StridedCopy ToRowMajor(const Shape& shape);
  static StridedCopy FromRowMajor(const Shape& shape);
  // Both are row-major; dimension i of the operand is dimension `dimensions[i]` of the result.
  static StridedCopy Broadcast(const Shape& operand, absl::Span<const int64_t> dimensions,
                               const Shape& result);

  // Nothing is moved: all bytes lie as they are to lie.
  bool IsDense() const;
  void Run(const void* from, void* to) const;

 private:
  // From the slowest-varying to the fastest; strides in bytes.
  struct Dimension {
    int64_t size;
    int64_t from_stride;
    int64_t to_stride;
  };

  StridedCopy(int64_t element_bytes, const std::vector<Dimension>& dimensions);
  void RunInnermost(const char* from, char* to) const;

  // Bytes that are moved at once.
  int64_t unit_ = 0;
  // None has the size 1, nor goes on where the one behind it ends. Of a copy of nothing, one of
  // the size 0.
  std::vector<Dimension> dimensions_;
};

// Whether the array's elements lie in row-major order: it has no layout, or that one.
bool IsRowMajor(const Shape& array);

}  // namespace callbridge::client

#endif  // CALLBRIDGE_CLIENT_STRIDED_COPY_H_
