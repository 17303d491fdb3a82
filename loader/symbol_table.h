// SymbolTable: a library's dynamic symbols, found without sections. SymbolVersions: the versions
// that they ask for.
#ifndef CALLBRIDGE_LOADER_SYMBOL_TABLE_H_
#define CALLBRIDGE_LOADER_SYMBOL_TABLE_H_

#include <elf.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

// ---- Symbols

// Returns how many entries of the dynamic symbol table DT_GNU_HASH and DT_HASH reach; only they
// show the table's size. Undefined symbols at the end of the table may be beyond. Returns
// INVALID_ARGUMENT if a lookup in one of them would not end or would read outside of it.
absl::StatusOr<uint64_t> HashedSymbolCount(const ElfFile& file, const DynamicSection& dynamic);

struct DynamicSymbol {
  Elf64_Sym entry;
  absl::string_view name;  // a view to the file
};

class SymbolTable {
 public:
  // Reads and checks all symbols that ld.so can reach: those in the hash tables and those that
  // relocations need (`relocated`, ascending). Returns INVALID_ARGUMENT, naming the table, if one
  // is invalid.
  static absl::StatusOr<SymbolTable> Parse(const ElfFile& file, const DynamicSection& dynamic,
                                           const std::vector<uint32_t>& relocated);

  // By index, beginning with the null symbol. Names are views to the file.
  const std::vector<DynamicSymbol>& symbols() const { return symbols_; }
  // Returns the offset of a symbol in the file.
  uint64_t Offset(size_t index) const { return offset_ + index * sizeof(Elf64_Sym); }

 private:
  uint64_t offset_ = 0;
  std::vector<DynamicSymbol> symbols_;
};

// ---- Versions (.gnu.version and .gnu.version_r)

// The versions that are needed of one library: one record of DT_VERNEED.
struct NeededVersions {
  uint64_t address;
  uint64_t offset;                // in the file
  absl::string_view library;      // as in DT_NEEDED; a view to the file
  std::vector<uint16_t> indexes;  // by which symbols refer to the versions
};

class SymbolVersions {
 public:
  // Reads and checks the versions of the first `symbol_count` dynamic symbols. Returns
  // INVALID_ARGUMENT, naming the table, if one is invalid.
  static absl::StatusOr<SymbolVersions> Parse(const ElfFile& file, const DynamicSection& dynamic,
                                              size_t symbol_count);

  // In the order of the file.
  const std::vector<NeededVersions>& needed() const { return needed_; }

  // Returns the offset in the file of a symbol's version index; nothing if symbols have no
  // versions.
  std::optional<uint64_t> IndexOffset(size_t symbol) const;

 private:
  absl::Status ReadNeeded(const ElfFile& file, const DynamicSection& dynamic, uint64_t address);
  absl::Status ReadDefined(const ElfFile& file, const DynamicSection& dynamic, uint64_t address);
  absl::Status CheckIndexes(const ElfFile& file, size_t symbol_count) const;

  std::vector<NeededVersions> needed_;
  std::vector<uint16_t> defined_;  // indexes of the versions that the library itself defines
  std::optional<uint64_t> indexes_offset_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_SYMBOL_TABLE_H_
