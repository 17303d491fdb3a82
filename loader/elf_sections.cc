#include "callbridge/loader/elf_sections.h"

#include <gelf.h>

#include <cstdint>
#include <cstring>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/symbol_table.h"

namespace callbridge {

// ---- Symbols

namespace {

FileSymbol MakeSymbol(const Elf64_Sym& entry, absl::string_view name, bool is_dynamic) {
  FileSymbol symbol;
  symbol.name = name.substr(0, name.find('@'));
  symbol.address = entry.st_value;
  symbol.size = entry.st_size;
  symbol.is_dynamic = is_dynamic;
  symbol.is_defined = entry.st_shndx != SHN_UNDEF;
  symbol.is_function = ELF64_ST_TYPE(entry.st_info) == STT_FUNC;
  symbol.is_local = ELF64_ST_BIND(entry.st_info) == STB_LOCAL;
  symbol.is_weak = ELF64_ST_BIND(entry.st_info) == STB_WEAK;
  const unsigned char visibility = ELF64_ST_VISIBILITY(entry.st_other);
  symbol.is_hidden = visibility == STV_HIDDEN || visibility == STV_INTERNAL;
  return symbol;
}

// Returns the bytes of a section; libelf checks their position.
absl::string_view Contents(Elf_Scn* section) {
  Elf_Data* data = section != nullptr ? elf_getdata(section, nullptr) : nullptr;
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const char*>(data->d_buf), data->d_size};
}

// Returns the string at `offset`, up to its NUL or the end of the table.
absl::string_view StringAt(absl::string_view strings, uint64_t offset) {
  if (offset >= strings.size()) return {};
  strings.remove_prefix(offset);
  return strings.substr(0, strnlen(strings.data(), strings.size()));
}

void VisitTable(absl::string_view table, absl::string_view strings, bool is_dynamic,
                absl::FunctionRef<void(const FileSymbol&)> visit) {
  Elf64_Sym entry;
  for (size_t offset = 0; offset + sizeof(entry) <= table.size(); offset += sizeof(entry)) {
    std::memcpy(&entry, table.data() + offset, sizeof(entry));
    const absl::string_view name = StringAt(strings, entry.st_name);
    if (!name.empty()) visit(MakeSymbol(entry, name, is_dynamic));
  }
}

}  // namespace

bool VisitSymbols(Elf* elf, absl::FunctionRef<void(const FileSymbol&)> visit) {
  bool has_dynamic = false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) continue;
    const bool is_dynamic = header.sh_type == SHT_DYNSYM;
    const absl::string_view strings = Contents(elf_getscn(elf, header.sh_link));
    VisitTable(Contents(section), strings, is_dynamic, visit);
    has_dynamic = has_dynamic || is_dynamic;
  }
  return has_dynamic;
}

void VisitSymbols(const SymbolTable& table, absl::FunctionRef<void(const FileSymbol&)> visit) {
  for (const DynamicSymbol& symbol : table.symbols()) {
    if (!symbol.name.empty()) visit(MakeSymbol(symbol.entry, symbol.name, /*is_dynamic=*/true));
  }
}

// ---- Names of functions

namespace {

bool IsFunction(uint8_t info, uint16_t section) {
  // SHN_ABS: a symbol that was bound to this process. Its value is not an address in the file.
  return ELF64_ST_TYPE(info) == STT_FUNC && section != SHN_UNDEF && section != SHN_ABS;
}

// Longer names are useless, and a million symbols may share a name of a megabyte.
constexpr size_t kMaximumName = 64 << 10;

}  // namespace

FunctionNames::FunctionNames(const ElfFile& file) {
  AddDynamicNames(file);
  AddStaticNames(file);
}

void FunctionNames::AddDynamicNames(const ElfFile& file) {
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(file);
  if (!dynamic.ok()) return;
  absl::StatusOr<SymbolTable> table = SymbolTable::Parse(file, *dynamic, {});
  if (!table.ok()) return;
  for (const DynamicSymbol& symbol : table->symbols()) {
    const Elf64_Sym& entry = symbol.entry;
    if (!IsFunction(entry.st_info, entry.st_shndx) || symbol.name.size() > kMaximumName) continue;
    names_[entry.st_value].emplace(symbol.name);
  }
}

// libelf checks every index and string.
void FunctionNames::AddStaticNames(const ElfFile& file) {
  const ElfHandle elf = OpenElf(file.bytes());
  if (elf == nullptr) return;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      if (!IsFunction(symbol.st_info, symbol.st_shndx)) continue;
      const char* name = elf_strptr(elf.get(), header.sh_link, symbol.st_name);
      if (name == nullptr) continue;
      const size_t size = strnlen(name, kMaximumName + 1);
      if (size <= kMaximumName) names_[symbol.st_value].emplace(name, size);
    }
  }
}

std::vector<std::string> FunctionNames::At(uint64_t address) const {
  auto found = names_.find(address);
  if (found == names_.end()) return {};
  return std::vector<std::string>(found->second.begin(), found->second.end());
}

std::vector<std::string> ExportedFunctions(const ElfFile& file) {
  const absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(file);
  if (!dynamic.ok()) return {};
  const absl::StatusOr<SymbolTable> table = SymbolTable::Parse(file, *dynamic, {});
  if (!table.ok()) return {};
  std::set<std::string> names;
  for (const auto& [entry, name] : table->symbols()) {
    if (IsFunction(entry.st_info, entry.st_shndx) && name.size() <= kMaximumName) {
      names.emplace(name);
    }
  }
  return {names.begin(), names.end()};
}

// ---- GPU code

namespace {

// NVIDIA documents neither header; read from what nvcc 12 and clang write.
struct FatBinaryHeader {
  static constexpr uint32_t kMagic = 0xBA55ED50;
  uint32_t magic;
  uint16_t version;
  uint16_t header_size;
  uint64_t size;  // of the entries, which follow
};

struct FatBinaryEntry {
  static constexpr uint16_t kPtx = 1;
  static constexpr uint16_t kMachineCode = 2;
  uint16_t kind;
  uint16_t attributes;
  uint32_t header_size;
  uint64_t size;  // of the code, which follows the header
  uint32_t unused[3];
  uint32_t architecture;
};

template <typename T>
bool Read(absl::string_view bytes, T* value) {
  if (bytes.size() < sizeof(T)) return false;
  std::memcpy(value, bytes.data(), sizeof(T));
  return true;
}

void AddEntries(absl::string_view entries, std::set<std::string>& names) {
  FatBinaryEntry entry;
  while (Read(entries, &entry)) {
    if (entry.kind == FatBinaryEntry::kPtx) {
      names.insert(absl::StrCat("compute_", entry.architecture));
    } else if (entry.kind == FatBinaryEntry::kMachineCode) {
      names.insert(absl::StrCat("sm_", entry.architecture));
    }
    if (entry.header_size < sizeof(entry) || entry.header_size > entries.size()) return;
    entries.remove_prefix(entry.header_size);
    if (entry.size > entries.size()) return;
    entries.remove_prefix(entry.size);
  }
}

}  // namespace

std::set<std::string> FatBinaryArchitectures(absl::string_view section) {
  std::set<std::string> names;
  FatBinaryHeader header;
  constexpr size_t kAlignment = 8;  // of each fat binary in the section
  while (Read(section, &header)) {
    if (header.magic != FatBinaryHeader::kMagic || header.header_size < sizeof(header) ||
        header.header_size > section.size()) {
      if (section.size() < kAlignment) break;
      section.remove_prefix(kAlignment);
      continue;
    }
    section.remove_prefix(header.header_size);
    const absl::string_view entries = section.substr(0, header.size);
    AddEntries(entries, names);
    section.remove_prefix(entries.size());
  }
  return names;
}

std::set<std::string> GpuArchitectures(Elf* elf, bool* has_hip) {
  size_t names_index = 0;
  if (elf_getshdrstrndx(elf, &names_index) != 0) return {};
  std::set<std::string> architectures;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf, names_index, header.sh_name);
    if (name == nullptr) continue;
    if (absl::StartsWith(name, ".hip_fatbin")) *has_hip = true;
    if (absl::string_view(name) != ".nv_fatbin") continue;
    const Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    architectures.merge(
        FatBinaryArchitectures({static_cast<const char*>(data->d_buf), data->d_size}));
  }
  return architectures;
}

}  // namespace callbridge
