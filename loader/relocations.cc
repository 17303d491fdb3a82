#include "callbridge/loader/relocations.h"

#include <elf.h>

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace callbridge {
namespace {

constexpr uint64_t kWord = sizeof(Elf64_Addr);

uint64_t WrittenBytes(uint32_t relocation_type) {
  switch (relocation_type) {
    case R_X86_64_32:
    case R_X86_64_PC32:
    case R_X86_64_SIZE32:
      return sizeof(uint32_t);
    case R_X86_64_TLSDESC:
      return 2 * kWord;
    default:
      return kWord;
  }
}

// The memory that relocations may write to.
class RelocatedMemory {
 public:
  RelocatedMemory(const ElfFile& file, const DynamicSection& dynamic)
      : file_(file), dynamic_(dynamic), segment_flags_(RelocatesText(dynamic) ? 0 : PF_W) {}

  absl::Status Check(uint64_t address, uint64_t size) const {
    if (!file_.IsMapped(address, size, segment_flags_)) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "has a bad relocation: it writes to address %#x, where no writable segment is", address));
    }
    // ld.so would change what it is reading.
    const uint64_t dynamic_size = (dynamic_.entries().size() + 1) * sizeof(Elf64_Dyn);
    if (address < dynamic_.address() + dynamic_size && dynamic_.address() < address + size) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "has a bad relocation: it writes to address %#x, in the dynamic section", address));
    }
    return absl::OkStatus();
  }

 private:
  // With DT_TEXTREL ld.so makes every segment writable while it relocates.
  static bool RelocatesText(const DynamicSection& dynamic) {
    return dynamic.Find(DT_TEXTREL).has_value() ||
           (dynamic.Find(DT_FLAGS).value_or(0) & DF_TEXTREL) != 0;
  }

  const ElfFile& file_;
  const DynamicSection& dynamic_;
  Elf64_Word segment_flags_;
};

absl::Status ReadTable(const ElfFile& file, const DynamicTable& table,
                       const RelocatedMemory& memory, absl::flat_hash_set<uint32_t>& symbols) {
  for (uint64_t i = 0; i < table.count; ++i) {
    const auto relocation = file.Read<Elf64_Rela>(table.offset + i * sizeof(Elf64_Rela));
    const auto type = static_cast<uint32_t>(ELF64_R_TYPE(relocation.r_info));
    if (type == R_X86_64_NONE) continue;
    if (type == R_X86_64_COPY) {
      return absl::InvalidArgumentError(
          "has a bad relocation: only executables have R_X86_64_COPY");
    }
    absl::Status status = memory.Check(relocation.r_offset, WrittenBytes(type));
    if (!status.ok()) return status;
    const auto symbol = static_cast<uint32_t>(ELF64_R_SYM(relocation.r_info));
    if (symbol != STN_UNDEF) symbols.insert(symbol);
  }
  return absl::OkStatus();
}

// DT_RELACOUNT relocations are applied without a look at their type.
absl::Status CheckRelativeCount(const ElfFile& file, const DynamicSection& dynamic) {
  const DynamicTable& table = dynamic.Table(DT_RELA);
  const uint64_t count = std::min(dynamic.Find(DT_RELACOUNT).value_or(0), table.count);
  for (uint64_t i = 0; i < count; ++i) {
    const auto relocation = file.Read<Elf64_Rela>(table.offset + i * sizeof(Elf64_Rela));
    if (ELF64_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE) continue;
    return absl::InvalidArgumentError(
        absl::StrFormat("has a bad DT_RELACOUNT: relocation %d of %d is not relative", i, count));
  }
  return absl::OkStatus();
}

// DT_RELR: an even word is an address, an odd one a bitmap of the 63 words that follow it.
absl::Status CheckPackedRelocations(const ElfFile& file, const DynamicTable& table,
                                    const RelocatedMemory& memory) {
  uint64_t next = 0;
  for (uint64_t i = 0; i < table.count; ++i) {
    const auto entry = file.Read<Elf64_Relr>(table.offset + i * sizeof(Elf64_Relr));
    if ((entry & 1) == 0) {
      absl::Status status = memory.Check(entry, kWord);
      if (!status.ok()) return status;
      next = entry + kWord;
      continue;
    }
    for (uint64_t bit = 1; bit < 64; ++bit, next += kWord) {
      if ((entry >> bit & 1) == 0) continue;
      absl::Status status = memory.Check(next, kWord);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

// ld.so reads one as soon as the other is there, and knows one format.
absl::Status CheckPltFormat(const DynamicSection& dynamic) {
  const std::optional<uint64_t> format = dynamic.Find(DT_PLTREL);
  if (format.has_value() == dynamic.Find(DT_JMPREL).has_value() &&
      format.value_or(DT_RELA) == DT_RELA) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("has a bad DT_PLTREL: DT_RELA was expected with DT_JMPREL");
}

}  // namespace

absl::StatusOr<std::vector<uint32_t>> RelocatedSymbols(const ElfFile& file,
                                                       const DynamicSection& dynamic) {
  const RelocatedMemory memory(file, dynamic);
  absl::flat_hash_set<uint32_t> symbols;
  absl::Status status = CheckPltFormat(dynamic);
  if (status.ok()) status = ReadTable(file, dynamic.Table(DT_RELA), memory, symbols);
  if (status.ok()) status = ReadTable(file, dynamic.Table(DT_JMPREL), memory, symbols);
  if (status.ok()) status = CheckRelativeCount(file, dynamic);
  if (status.ok()) status = CheckPackedRelocations(file, dynamic.Table(DT_RELR), memory);
  if (!status.ok()) return status;
  std::vector<uint32_t> ascending(symbols.begin(), symbols.end());
  std::sort(ascending.begin(), ascending.end());
  return ascending;
}

}  // namespace callbridge
