// SymbolTable: a library's dynamic symbols.
#ifndef CALLBRIDGE_LOADER_SYMBOL_TABLE_H_
#define CALLBRIDGE_LOADER_SYMBOL_TABLE_H_

#include <elf.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

struct DynamicSymbol {
  Elf64_Sym entry;
  absl::string_view name;  // a view to the file
};

class SymbolTable {
 public:
  // Checks all symbols that ld.so can come across: those that the hash tables hold and those that
  // relocations need (`relocated`, ascending). INVALID_ARGUMENT says what is wrong.
  static absl::StatusOr<SymbolTable> Parse(const ElfFile& file, const DynamicSection& dynamic,
                                           const std::vector<uint32_t>& relocated);

  // By index, beginning with the null symbol. Views to the file that it was parsed from.
  const std::vector<DynamicSymbol>& symbols() const { return symbols_; }
  // Where a symbol stands in the file.
  uint64_t Offset(size_t index) const { return offset_ + index * sizeof(Elf64_Sym); }

 private:
  uint64_t offset_ = 0;
  std::vector<DynamicSymbol> symbols_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_SYMBOL_TABLE_H_
