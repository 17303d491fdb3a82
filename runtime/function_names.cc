#include "callbridge/runtime/function_names.h"

#include <gelf.h>
#include <libelf.h>

#include <memory>
#include <set>

#include "absl/status/statusor.h"
#include "callbridge/runtime/dynamic_section.h"
#include "callbridge/runtime/symbol_table.h"

namespace callbridge {
namespace {

bool IsFunctionAt(uint64_t address, uint8_t info, uint16_t section, uint64_t value) {
  // SHN_ABS: a symbol that was bound to this process; its value is no address in the file.
  return ELF64_ST_TYPE(info) == STT_FUNC && section != SHN_UNDEF && section != SHN_ABS &&
         value == address;
}

void AddDynamicNames(const ElfFile& file, uint64_t address, std::set<std::string>& names) {
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(file);
  if (!dynamic.ok()) return;
  absl::StatusOr<SymbolTable> table = SymbolTable::Parse(file, *dynamic, {});
  if (!table.ok()) return;
  for (const DynamicSymbol& symbol : table->symbols()) {
    const Elf64_Sym& entry = symbol.entry;
    if (IsFunctionAt(address, entry.st_info, entry.st_shndx, entry.st_value)) {
      names.emplace(symbol.name);
    }
  }
}

// A section of symbols; libelf checks every index and string.
void AddSectionNames(Elf* elf, Elf_Scn* section, uint64_t address, std::set<std::string>& names) {
  GElf_Shdr header;
  if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB) return;
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr) return;
  GElf_Sym symbol;
  for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
    if (!IsFunctionAt(address, symbol.st_info, symbol.st_shndx, symbol.st_value)) continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name != nullptr) names.emplace(name);
  }
}

void AddStaticNames(const ElfFile& file, uint64_t address, std::set<std::string>& names) {
  elf_version(EV_CURRENT);
  // libelf reads through this pointer; it writes where it was asked to update a file.
  char* image = const_cast<char*>(file.bytes().data());
  std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_memory(image, file.bytes().size()), &elf_end);
  if (elf == nullptr) return;
  Elf_Scn* section = nullptr;
  while ((section = elf_nextscn(elf.get(), section)) != nullptr) {
    AddSectionNames(elf.get(), section, address, names);
  }
}

}  // namespace

std::vector<std::string> FunctionNames(const ElfFile& file, uint64_t address) {
  std::set<std::string> names;
  AddDynamicNames(file, address, names);
  AddStaticNames(file, address, names);
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace callbridge
