#include "callbridge/abi/descriptor_bytes.h"

#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

// `bytes` has at least `width` bytes.
uint64_t NumberOf(absl::string_view bytes, size_t width) {
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i) {
    value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
  }
  return value;
}

}  // namespace

void AppendNumber(uint64_t value, size_t width, std::string* bytes) {
  for (size_t i = 0; i < width; ++i) bytes->push_back(static_cast<char>(value >> (8 * i)));
}

absl::StatusOr<uint8_t> DescriptorReader::PeekByte(absl::string_view what) const {
  if (rest_.empty()) return Expected(what, "the end");
  return static_cast<uint8_t>(rest_[0]);
}

absl::StatusOr<PrimitiveType> DescriptorReader::PeekType(absl::string_view what) const {
  const absl::StatusOr<uint8_t> number = PeekByte(what);
  if (!number.ok()) return number.status();
  if (!IsPrimitiveType(*number)) {
    return Expected("the number of a PrimitiveType", absl::StrCat(int{*number}));
  }
  return static_cast<PrimitiveType>(*number);
}

absl::StatusOr<uint64_t> DescriptorReader::ReadNumber(size_t width, absl::string_view what) {
  if (rest_.size() < width) {
    return Expected(absl::StrCat(what, " (", width, " bytes)"),
                    absl::StrCat("the end after ", rest_.size()));
  }
  const uint64_t value = NumberOf(rest_, width);
  Skip(width);
  return value;
}

absl::StatusOr<uint64_t> DescriptorReader::ReadCount(size_t width, size_t smallest,
                                                     absl::string_view what) {
  const DescriptorReader at_the_count = *this;
  absl::StatusOr<uint64_t> count = ReadNumber(width, absl::StrCat("a count of ", what));
  if (!count.ok() || *count <= rest_.size() / smallest) return count;
  return at_the_count.Expected(absl::StrCat("at most ", rest_.size() / smallest, " ", what, ", as ",
                                            smallest == 1 ? "so many" : absl::StrCat(rest_.size()),
                                            " bytes follow the count"),
                               absl::StrCat(*count));
}

absl::StatusOr<absl::string_view> DescriptorReader::ReadBytes(size_t size, absl::string_view what) {
  if (rest_.size() < size) {
    return Expected(absl::StrCat(what, " (", size, " bytes)"),
                    absl::StrCat("the end after ", rest_.size()));
  }
  const absl::string_view bytes = rest_.substr(0, size);
  Skip(size);
  return bytes;
}

absl::Status DescriptorReader::ReadEnd() const {
  if (rest_.empty()) return absl::OkStatus();
  return Expected("the end", absl::StrCat(rest_.size(), " bytes more"));
}

absl::Status DescriptorReader::Expected(absl::string_view what, absl::string_view found) const {
  return absl::InvalidArgumentError(absl::StrCat("site descriptor, byte ", size_ - rest_.size(),
                                                 " of its ", part_, ": expected ", what, ", found ",
                                                 found));
}

}  // namespace callbridge
