#include "callbridge/loader/file_symbols.h"

#include <gelf.h>

#include <cstring>

namespace callbridge {
namespace {

FileSymbol MakeSymbol(const Elf64_Sym& entry, absl::string_view name, bool is_dynamic) {
  FileSymbol symbol;
  symbol.name = name.substr(0, name.find('@'));
  symbol.address = entry.st_value;
  symbol.is_dynamic = is_dynamic;
  symbol.is_defined = entry.st_shndx != SHN_UNDEF;
  symbol.is_function = ELF64_ST_TYPE(entry.st_info) == STT_FUNC;
  symbol.is_local = ELF64_ST_BIND(entry.st_info) == STB_LOCAL;
  symbol.is_weak = ELF64_ST_BIND(entry.st_info) == STB_WEAK;
  const unsigned char visibility = ELF64_ST_VISIBILITY(entry.st_other);
  symbol.is_hidden = visibility == STV_HIDDEN || visibility == STV_INTERNAL;
  return symbol;
}

// The bytes of a section; libelf checks where they lie.
absl::string_view Contents(Elf_Scn* section) {
  Elf_Data* data = section != nullptr ? elf_getdata(section, nullptr) : nullptr;
  if (data == nullptr || data->d_buf == nullptr) return {};
  return {static_cast<const char*>(data->d_buf), data->d_size};
}

// The string at `offset`, up to its NUL or to the end of the table.
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

}  // namespace callbridge
