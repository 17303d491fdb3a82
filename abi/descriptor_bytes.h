// Reads and writes the bytes of site descriptors. Numbers are little-endian. A count precedes what
// it counts; readers check it against the bytes that follow before they allocate.
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

// Reads bytes from front to back. Malformed input is INVALID_ARGUMENT, which names the byte, what
// was expected there and what was found.
class DescriptorReader {
 public:
  // `part` names, in errors, the part of the descriptor that `bytes` are. Both must outlive the
  // reader.
  DescriptorReader(absl::string_view part, absl::string_view bytes)
      : part_(part), size_(bytes.size()), rest_(bytes) {}

  // Returns the next byte without passing it.
  absl::StatusOr<uint8_t> PeekByte(absl::string_view what) const;
  // Returns the next byte as the number of a type other than kInvalid, without passing it.
  absl::StatusOr<PrimitiveType> PeekType(absl::string_view what) const;
  // Passes `size` bytes, which must be there.
  void Skip(size_t size) { rest_.remove_prefix(size); }

  // Reads a number of `width` bytes, at most 8.
  absl::StatusOr<uint64_t> ReadNumber(size_t width, absl::string_view what);
  // Reads a count of things that follow it and take at least `smallest` bytes each. Fails if the
  // bytes that follow cannot hold so many.
  absl::StatusOr<uint64_t> ReadCount(size_t width, size_t smallest, absl::string_view what);
  // Returns a view of the next `size` bytes, and passes them.
  absl::StatusOr<absl::string_view> ReadBytes(size_t size, absl::string_view what);
  absl::Status ReadEnd() const;

  // Returns an error about the next byte.
  absl::Status Expected(absl::string_view what, absl::string_view found) const;

 private:
  absl::string_view part_;
  size_t size_;
  absl::string_view rest_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_ABI_DESCRIPTOR_BYTES_H_
