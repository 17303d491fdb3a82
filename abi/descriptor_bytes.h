// How site descriptors are written and read: numbers are little-endian, counts stand before what
// they count, and nothing is allocated on the word of a count.
#ifndef CALLBRIDGE_ABI_DESCRIPTOR_BYTES_H_
#define CALLBRIDGE_ABI_DESCRIPTOR_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"

namespace callbridge {

// Appends the `width` lowest bytes of `value`.
void AppendNumber(uint64_t value, size_t width, std::string* bytes);

// Reads from front to back. What cannot be read is INVALID_ARGUMENT, which says at which byte, what
// was expected there and what came.
class DescriptorReader {
 public:
  // `part` is what `bytes` are of a descriptor; only errors use it. Both must outlive the reader.
  DescriptorReader(absl::string_view part, absl::string_view bytes)
      : part_(part), size_(bytes.size()), rest_(bytes) {}

  // The next byte, which stays the next.
  absl::StatusOr<uint8_t> PeekByte(absl::string_view what) const;
  // The next byte as the number of a type other than kInvalid, which stays the next.
  absl::StatusOr<PrimitiveType> PeekType(absl::string_view what) const;
  // Passes bytes that are there.
  void Skip(size_t size) { rest_.remove_prefix(size); }

  // A number of `width` bytes, up to 8.
  absl::StatusOr<uint64_t> ReadNumber(size_t width, absl::string_view what);
  // The same, where it counts things behind it that take `smallest` bytes or more, and of which
  // there can be so many.
  absl::StatusOr<uint64_t> ReadCount(size_t width, size_t smallest, absl::string_view what);
  // A view of the next `size` bytes.
  absl::StatusOr<absl::string_view> ReadBytes(size_t size, absl::string_view what);
  absl::Status ReadEnd() const;

  // The error at the next byte.
  absl::Status Expected(absl::string_view what, absl::string_view found) const;

 private:
  absl::string_view part_;
  size_t size_;
  absl::string_view rest_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_DESCRIPTOR_BYTES_H_
