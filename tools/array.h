// Array: one array on the host, with its bytes.
#ifndef CALLBRIDGE_TOOLS_ARRAY_H_
#define CALLBRIDGE_TOOLS_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "callbridge/abi/shape.h"

namespace callbridge {

// Memory aligned as XLA:CPU aligns its buffers, which old targets may rely on.
class AlignedMemory {
 public:
  static constexpr size_t kAlignment = 64;

  // No memory: null, 0 bytes.
  AlignedMemory() = default;
  // Zeros; not null even for 0 bytes. RESOURCE_EXHAUSTED where there is not so much.
  static absl::StatusOr<AlignedMemory> Allocate(int64_t size_bytes);

  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(char* data) const;
  };
  std::unique_ptr<char[], Free> data_;
  size_t size_ = 0;
};

// An array with as many bytes as its shape needs, or a token, which has none.
struct Array {
  Shape shape;
  AlignedMemory memory;
};

// An array of zeros of this shape, which is an array or token.
absl::StatusOr<Array> MakeArrayOfZeros(const Shape& shape);

// Bytes of one element that is not packed: 1 for s4, 16 for c128.
int64_t ElementBytes(PrimitiveType type);

// The same array without a layout, its elements in row-major order. They must not be packed.
absl::StatusOr<Array> ToRowMajor(Array array);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_ARRAY_H_
