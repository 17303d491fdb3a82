// Checks a library's relocations and tells which symbols they need: those are the ones that ld.so
// looks up.
#ifndef CALLBRIDGE_LOADER_RELOCATIONS_H_
#define CALLBRIDGE_LOADER_RELOCATIONS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

// Indexes in the dynamic symbol table, ascending, without 0. INVALID_ARGUMENT where a relocation
// would make ld.so write outside of the library's writable memory, or die of an assertion.
absl::StatusOr<std::vector<uint32_t>> RelocatedSymbols(const ElfFile& file,
                                                       const DynamicSection& dynamic);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_RELOCATIONS_H_
