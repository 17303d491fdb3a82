#include "callbridge/loader/dynamic_section.h"

#include <elf.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "callbridge/abi/machine.h"

namespace callbridge {

namespace {

// A table's address, its size in bytes, and the entry, if any, that repeats the size of one of its
// entries. ld.so reads the companions without checking that they exist, or fails an assertion if
// they are wrong.
struct TableTags {
  const char* name;
  Elf64_Sxword address;
  const char* size_name;
  Elf64_Sxword size;
  const char* entry_size_name;
  Elf64_Sxword entry_size_tag;
  uint64_t entry_size;
};

constexpr TableTags kTables[] = {
    {"DT_RELA", DT_RELA, "DT_RELASZ", DT_RELASZ, "DT_RELAENT", DT_RELAENT, sizeof(Elf64_Rela)},
    {"DT_JMPREL", DT_JMPREL, "DT_PLTRELSZ", DT_PLTRELSZ, nullptr, DT_NULL, sizeof(Elf64_Rela)},
    {"DT_RELR", DT_RELR, "DT_RELRSZ", DT_RELRSZ, "DT_RELRENT", DT_RELRENT, sizeof(Elf64_Relr)},
    {"DT_INIT_ARRAY", DT_INIT_ARRAY, "DT_INIT_ARRAYSZ", DT_INIT_ARRAYSZ, nullptr, DT_NULL,
     sizeof(Elf64_Addr)},
    {"DT_FINI_ARRAY", DT_FINI_ARRAY, "DT_FINI_ARRAYSZ", DT_FINI_ARRAYSZ, nullptr, DT_NULL,
     sizeof(Elf64_Addr)},
};

struct NamedTag {
  Elf64_Sxword tag;
  const char* name;
};

// Entries whose value is an offset in the string table.
constexpr NamedTag kStringTags[] = {
    {DT_NEEDED, "DT_NEEDED"},   {DT_SONAME, "DT_SONAME"},       {DT_RPATH, "DT_RPATH"},
    {DT_RUNPATH, "DT_RUNPATH"}, {DT_AUXILIARY, "DT_AUXILIARY"}, {DT_FILTER, "DT_FILTER"},
};

// Entries whose value is a function's address.
constexpr NamedTag kCodeTags[] = {{DT_INIT, "DT_INIT"}, {DT_FINI, "DT_FINI"}};

absl::StatusOr<DynamicTable> FindTable(const ElfFile& file, const DynamicSection& dynamic,
                                       const TableTags& tags) {
  const std::optional<uint64_t> address = dynamic.Find(tags.address);
  const std::optional<uint64_t> size = dynamic.Find(tags.size);
  if (address.has_value() != size.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("has only one of ", tags.name, " and ",
                                                   tags.size_name, "; they come together"));
  }
  if (!address.has_value()) return DynamicTable();
  if (tags.entry_size_name != nullptr &&
      dynamic.Find(tags.entry_size_tag) != std::optional<uint64_t>(tags.entry_size)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "has a bad %s: %d was expected with %s", tags.entry_size_name, tags.entry_size, tags.name));
  }
  if (*size % tags.entry_size != 0) {
    return absl::InvalidArgumentError(absl::StrFormat("has a bad %s: %d is not a multiple of %d",
                                                      tags.size_name, *size, tags.entry_size));
  }
  if (*address % alignof(Elf64_Addr) != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("has a bad %s: address %#x is not a multiple of %d", tags.name, *address,
                        alignof(Elf64_Addr)));
  }
  absl::StatusOr<uint64_t> offset = file.FileOffset(*address, *size, tags.name);
  if (!offset.ok()) return offset.status();
  return DynamicTable{*address, *offset, *size / tags.entry_size};
}

}  // namespace

absl::StatusOr<DynamicSection> DynamicSection::Parse(const ElfFile& file) {
  DynamicSection dynamic(file);
  absl::Status status = dynamic.ReadEntries();
  if (status.ok()) status = dynamic.CheckIsNoExecutable();
  if (status.ok()) status = dynamic.FindStrings();
  if (status.ok()) status = dynamic.CheckStringOffsets();
  if (status.ok()) status = dynamic.FindTables();
  if (status.ok()) status = dynamic.CheckCode();
  if (!status.ok()) return status;
  return dynamic;
}

absl::Status DynamicSection::ReadEntries() {
  const Elf64_Phdr* dynamic = nullptr;
  for (const Elf64_Phdr& segment : file_->segments()) {
    if (segment.p_type != PT_DYNAMIC) continue;
    if (dynamic != nullptr) return absl::InvalidArgumentError("has two PT_DYNAMIC segments");
    dynamic = &segment;
  }
  if (dynamic == nullptr) {
    return absl::InvalidArgumentError("has no PT_DYNAMIC segment; a shared library has one");
  }
  absl::StatusOr<uint64_t> offset =
      file_->FileOffset(dynamic->p_vaddr, dynamic->p_memsz, "PT_DYNAMIC");
  if (!offset.ok()) return offset.status();
  address_ = dynamic->p_vaddr;
  offset_ = *offset;
  for (uint64_t i = 0; i < dynamic->p_memsz / sizeof(Elf64_Dyn); ++i) {
    const auto entry = file_->Read<Elf64_Dyn>(offset_ + i * sizeof(Elf64_Dyn));
    if (entry.d_tag == DT_NULL) return absl::OkStatus();
    entries_.push_back(entry);
  }
  return absl::InvalidArgumentError("has a bad PT_DYNAMIC: no DT_NULL ends it");
}

absl::Status DynamicSection::CheckIsNoExecutable() const {
  if ((Find(DT_FLAGS_1).value_or(0) & DF_1_PIE) == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "is a position-independent executable; a shared library (.so) is needed");
}

std::optional<uint64_t> DynamicSection::Find(Elf64_Sxword tag) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->d_tag == tag) return entry->d_un.d_val;
  }
  return std::nullopt;
}

absl::Status DynamicSection::FindStrings() {
  const std::optional<uint64_t> address = Find(DT_STRTAB);
  const std::optional<uint64_t> size = Find(DT_STRSZ);
  if (!address.has_value() || !size.has_value() || *size == 0) {
    return absl::InvalidArgumentError("has no dynamic string table (DT_STRTAB and DT_STRSZ)");
  }
  absl::StatusOr<uint64_t> offset = file_->FileOffset(*address, *size, "DT_STRTAB");
  if (!offset.ok()) return offset.status();
  strings_ = absl::string_view(file_->bytes()).substr(*offset, *size);
  if (strings_.back() != '\0') {
    return absl::InvalidArgumentError("has a bad DT_STRTAB: no NUL ends its last string");
  }
  for (size_t end = strings_.find('\0'); end != strings_.npos; end = strings_.find('\0', end + 1)) {
    string_ends_.push_back(end);
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::string_view> DynamicSection::String(uint64_t offset,
                                                         absl::string_view what) const {
  if (offset >= strings_.size()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("has a bad %s: its name is at %d of a DT_STRTAB of %d bytes", what, offset,
                        strings_.size()));
  }
  const uint64_t end = *std::lower_bound(string_ends_.begin(), string_ends_.end(), offset);
  return strings_.substr(offset, end - offset);
}

absl::Status DynamicSection::CheckStringOffsets() const {
  for (const Elf64_Dyn& entry : entries_) {
    for (const NamedTag& tag : kStringTags) {
      if (entry.d_tag != tag.tag) continue;
      absl::Status status = String(entry.d_un.d_val, tag.name).status();
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

std::vector<absl::string_view> DynamicSection::NeededLibraries() const {
  std::vector<absl::string_view> names;
  for (const Elf64_Dyn& entry : entries_) {
    if (entry.d_tag == DT_NEEDED) names.emplace_back(strings_.data() + entry.d_un.d_val);
  }
  return names;
}

absl::Status DynamicSection::FindTables() {
  for (const TableTags& tags : kTables) {
    absl::StatusOr<DynamicTable> table = FindTable(*file_, *this, tags);
    if (!table.ok()) return table.status();
    tables_.push_back(*table);
  }
  return absl::OkStatus();
}

const DynamicTable& DynamicSection::Table(Elf64_Sxword tag) const {
  size_t i = 0;
  while (kTables[i].address != tag) ++i;
  return tables_[i];
}

absl::Status DynamicSection::CheckCode() const {
  for (const NamedTag& tag : kCodeTags) {
    const std::optional<uint64_t> address = Find(tag.tag);
    if (!address.has_value() || file_->IsMapped(*address, 1, PF_X)) continue;
    return absl::InvalidArgumentError(
        absl::StrFormat("has a bad %s: there is no code at address %#x", tag.name, *address));
  }
  return absl::OkStatus();
}

// ---- Relocations

namespace {

constexpr uint64_t kWord = sizeof(Elf64_Addr);

uint64_t WrittenBytes(const Machine& machine, uint32_t relocation_type) {
  for (const RelocationSize& other : machine.other_sizes) {
    if (other.type == relocation_type) return other.bytes;
  }
  return kWord;
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
    // ld.so would change the section while it reads it.
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
  const Machine& machine = file.machine();
  for (uint64_t i = 0; i < table.count; ++i) {
    const auto relocation = file.Read<Elf64_Rela>(table.offset + i * sizeof(Elf64_Rela));
    const auto type = static_cast<uint32_t>(ELF64_R_TYPE(relocation.r_info));
    if (type == machine.no_relocation) continue;
    if (type == machine.copy) {
      return absl::InvalidArgumentError(
          "has a bad relocation: only executables have copy relocations");
    }
    absl::Status status = memory.Check(relocation.r_offset, WrittenBytes(machine, type));
    if (!status.ok()) return status;
    const auto symbol = static_cast<uint32_t>(ELF64_R_SYM(relocation.r_info));
    if (symbol != STN_UNDEF) symbols.insert(symbol);
  }
  return absl::OkStatus();
}

// ld.so applies the first DT_RELACOUNT relocations without reading their type.
absl::Status CheckRelativeCount(const ElfFile& file, const DynamicSection& dynamic) {
  const DynamicTable& table = dynamic.Table(DT_RELA);
  const uint64_t count = std::min(dynamic.Find(DT_RELACOUNT).value_or(0), table.count);
  for (uint64_t i = 0; i < count; ++i) {
    const auto relocation = file.Read<Elf64_Rela>(table.offset + i * sizeof(Elf64_Rela));
    if (ELF64_R_TYPE(relocation.r_info) == file.machine().relative) continue;
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

// If one of them exists, ld.so reads the other, and knows only one format.
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
