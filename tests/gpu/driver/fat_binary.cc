#include "tests/gpu/driver/fat_binary.h"

#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace standin {
namespace {

struct Header {
  uint32_t magic;
  uint16_t version;
  uint16_t size;
  uint64_t bytes;  // behind the header
};

struct Part {
  uint16_t kind;
  uint16_t version;
  uint32_t header_size;
  uint64_t bytes;  // behind the header, padding included
  uint32_t compressed_bytes;
  uint32_t options;
  uint16_t minor;
  uint16_t major;
  uint32_t architecture;  // 90 is 9.0
  uint32_t name_offset;
  uint32_t name_bytes;
  uint64_t flags;
  uint64_t reserved;
  uint64_t text_bytes;  // decompressed
};
static_assert(sizeof(Header) == 16 && sizeof(Part) == 64);

constexpr uint32_t kMagic = 0xBA55ED50;
constexpr uint16_t kPtx = 1;
constexpr uint64_t kLz4 = 0x2000;
constexpr uint64_t kZstd = 0x8000;
// More is taken for a damaged header.
constexpr uint64_t kMostBytes = uint64_t{256} << 20;

template <typename T>
T Read(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

absl::StatusOr<std::string> Text(const Part& part, const char* data) {
  if ((part.flags & (kLz4 | kZstd)) == 0) {
    return std::string(data, part.bytes);
  }
  if (part.text_bytes > kMostBytes || part.compressed_bytes > part.bytes) {
    return absl::InvalidArgumentError(absl::StrCat("fat binary: PTX of ", part.text_bytes,
                                                   " bytes, compressed to ", part.compressed_bytes,
                                                   " of ", part.bytes));
  }
  std::string text(part.text_bytes, '\0');
  uint64_t written = 0;
  if ((part.flags & kLz4) != 0) {
    const int result = LZ4_decompress_safe(
        data, text.data(), static_cast<int>(part.compressed_bytes), static_cast<int>(text.size()));
    written = result < 0 ? 0 : static_cast<uint64_t>(result);
  } else {
    const size_t result = ZSTD_decompress(text.data(), text.size(), data, part.compressed_bytes);
    written = ZSTD_isError(result) != 0 ? 0 : result;
  }
  if (written != part.text_bytes) {
    return absl::InvalidArgumentError("fat binary: compressed PTX that cannot be decompressed");
  }
  return text;
}

}  // namespace

bool IsFatBinary(const void* image) {
  return Read<uint32_t>(static_cast<const char*>(image)) == kMagic;
}

absl::StatusOr<std::string> PtxOf(const void* fat_binary, int compute_capability) {
  const char* at = static_cast<const char*>(fat_binary);
  const auto header = Read<Header>(at);
  if (header.magic != kMagic || header.version != 1 || header.size < sizeof header ||
      header.bytes > kMostBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("fat binary: expected version 1, got magic number ", header.magic,
                     ", version ", header.version, ", ", header.bytes, " bytes"));
  }
  at += header.size;
  const char* const end = at + header.bytes;
  std::set<std::string> found;
  Part best{};
  const char* best_data = nullptr;
  while (at < end) {
    if (static_cast<size_t>(end - at) < sizeof(Part)) {
      return absl::InvalidArgumentError("fat binary: it ends within the header of a part");
    }
    const auto part = Read<Part>(at);
    const auto left = static_cast<uint64_t>(end - at);
    if (part.header_size < sizeof part || part.header_size > left ||
        part.bytes > left - part.header_size) {
      return absl::InvalidArgumentError("fat binary: a part that ends behind the fat binary");
    }
    const bool ptx = part.kind == kPtx;
    found.insert(
        absl::StrCat(ptx ? "PTX for compute_" : "machine code for sm_", part.architecture));
    if (ptx && part.architecture <= static_cast<uint32_t>(compute_capability) &&
        (best_data == nullptr || part.architecture > best.architecture)) {
      best = part;
      best_data = at + part.header_size;
    }
    at += part.header_size + part.bytes;
  }
  if (best_data == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        "fat binary: no PTX for compute_", compute_capability, " or older in it, only ",
        found.empty() ? "nothing" : absl::StrJoin(found, ", ")));
  }
  return Text(best, best_data);
}

}  // namespace standin
