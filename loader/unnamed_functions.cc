#include "callbridge/loader/unnamed_functions.h"

#include <elf.h>

#include <cstddef>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"

namespace callbridge {
namespace {

using Addresses = absl::flat_hash_set<uint64_t>;

// The beginning of .eh_frame_hdr. A table follows it: the address of each function and that of its
// entry, both relative to the header.
struct UnwindHeader {
  uint8_t version;
  uint8_t frame_encoding;
  uint8_t count_encoding;
  uint8_t table_encoding;
  int32_t frame;
  uint32_t count;
};
struct UnwindEntry {
  int32_t function;
  int32_t entry;
};
// DWARF's DW_EH_PE_ pcrel | sdata4, udata4, and datarel | sdata4.
constexpr uint8_t kFrameEncoding = 0x1b;
constexpr uint8_t kCountEncoding = 0x03;
constexpr uint8_t kTableEncoding = 0x3b;

Addresses FunctionsOfUnwindTable(const ElfFile& file) {
  Addresses functions;
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_GNU_EH_FRAME) continue;
    const uint64_t address = segment.p_vaddr;
    const auto at = file.FileOffset(address, sizeof(UnwindHeader), "unwind table");
    if (!at.ok()) continue;
    const auto header = file.Read<UnwindHeader>(*at);
    if (header.version != 1 || header.frame_encoding != kFrameEncoding ||
        header.count_encoding != kCountEncoding || header.table_encoding != kTableEncoding) {
      continue;
    }
    const uint64_t size = uint64_t{header.count} * sizeof(UnwindEntry);
    const auto table = file.FileOffset(address + sizeof(UnwindHeader), size, "unwind table");
    if (!table.ok()) continue;
    for (uint64_t i = 0; i < header.count; ++i) {
      const auto entry = file.Read<UnwindEntry>(*table + i * sizeof(UnwindEntry));
      functions.insert(address + static_cast<uint64_t>(int64_t{entry.function}));
    }
  }
  return functions;
}

// `lea DISPLACEMENT(%rip), REGISTER` of 64 bits: REX.W, 8d, a ModRM byte of rip, the displacement
// from the next instruction.
void AddFromCode(const ElfFile& file, const Elf64_Phdr& code, const Addresses& functions,
                 std::set<uint64_t>& found) {
  constexpr uint64_t kSize = 7;
  for (uint64_t i = 0; i + kSize <= code.p_filesz; ++i) {
    const auto bytes = file.Read<uint32_t>(code.p_offset + i);
    if ((bytes & 0x00c7fffb) != 0x00058d48) continue;
    const auto displacement = file.Read<int32_t>(code.p_offset + i + 3);
    const uint64_t target = code.p_vaddr + i + kSize + static_cast<uint64_t>(int64_t{displacement});
    if (functions.contains(target)) found.insert(target);
  }
}

// Addends of relocations are data too.
void AddFromData(const ElfFile& file, const Elf64_Phdr& data, const Addresses& functions,
                 std::set<uint64_t>& found) {
  const uint64_t first = (sizeof(uint64_t) - data.p_offset % sizeof(uint64_t)) % sizeof(uint64_t);
  for (uint64_t i = first; i + sizeof(uint64_t) <= data.p_filesz; i += sizeof(uint64_t)) {
    const auto word = file.Read<uint64_t>(data.p_offset + i);
    if (functions.contains(word)) found.insert(word);
  }
}

}  // namespace

std::vector<uint64_t> AddressTakenFunctions(const ElfFile& file) {
  const Addresses functions = FunctionsOfUnwindTable(file);
  std::set<uint64_t> found;
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type != PT_LOAD || functions.empty()) continue;
    if (segment.p_offset > file.bytes().size() ||
        segment.p_filesz > file.bytes().size() - segment.p_offset) {
      continue;
    }
    if ((segment.p_flags & PF_X) != 0) {
      AddFromCode(file, segment, functions, found);
    } else {
      AddFromData(file, segment, functions, found);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace callbridge
