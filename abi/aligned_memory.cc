#include "callbridge/abi/aligned_memory.h"

#include <unistd.h>

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

size_t PhysicalMemory() {
  static const size_t bytes =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

absl::StatusOr<AlignedMemory> AlignedMemory::Allocate(size_t size) {
  // malloc() may promise more memory than there is; writing to it then ends the process.
  void* data = nullptr;
  if (size <= PhysicalMemory()) {
    data = aligned_alloc(kArrayAlignment, size == 0 ? kArrayAlignment : Aligned(size));
  }
  if (data == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "no memory for ", size, " bytes; this machine has ", PhysicalMemory(), " in all"));
  }
  AlignedMemory memory;
  memory.data_.reset(static_cast<char*>(data));
  memory.size_ = size;
  return memory;
}

}  // namespace callbridge
