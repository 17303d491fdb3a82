// Finds the names of a function in a library's symbol tables.
#ifndef CALLBRIDGE_LOADER_FUNCTION_NAMES_H_
#define CALLBRIDGE_LOADER_FUNCTION_NAMES_H_

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

class FunctionNames {
 public:
  // From .symtab, which has static functions too, unless it was stripped, and from .dynsym. A table
  // that is damaged has none, and names of more than 64 KiB are left out.
  explicit FunctionNames(const ElfFile& file);

  // The names, as linkers know them, of the functions that begin exactly at `address`, which is
  // relative to the load address. Sorted.
  std::vector<std::string> At(uint64_t address) const;

 private:
  void AddDynamicNames(const ElfFile& file);
  void AddStaticNames(const ElfFile& file);

  absl::flat_hash_map<uint64_t, std::set<std::string>> names_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_FUNCTION_NAMES_H_
