#include "callbridge/loader/function_names.h"

#include <gelf.h>

#include <cstring>

#include "absl/status/statusor.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_handle.h"
#include "callbridge/loader/symbol_table.h"

namespace callbridge {
namespace {

bool IsFunction(uint8_t info, uint16_t section) {
  // SHN_ABS: a symbol that was bound to this process; its value is no address in the file.
  return ELF64_ST_TYPE(info) == STT_FUNC && section != SHN_UNDEF && section != SHN_ABS;
}

// Nobody reads a longer name, and a million symbols may share one of a megabyte.
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

}  // namespace callbridge
