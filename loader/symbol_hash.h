// Counts a library's dynamic symbols by its hash tables, the only place that tells without
// sections.
#ifndef CALLBRIDGE_LOADER_SYMBOL_HASH_H_
#define CALLBRIDGE_LOADER_SYMBOL_HASH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

// How many entries of the dynamic symbol table DT_GNU_HASH and DT_HASH reach; undefined symbols at
// the end of the table may lie beyond. INVALID_ARGUMENT where a lookup in one of them would not
// end, or would read outside of it.
absl::StatusOr<uint64_t> HashedSymbolCount(const ElfFile& file, const DynamicSection& dynamic);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_SYMBOL_HASH_H_
