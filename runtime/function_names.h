// Finds the names of a function in a library's symbol tables.
#ifndef CALLBRIDGE_RUNTIME_FUNCTION_NAMES_H_
#define CALLBRIDGE_RUNTIME_FUNCTION_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "callbridge/runtime/elf_file.h"

namespace callbridge {

// The names, as linkers know them, of the functions that begin exactly at `address`, which is
// relative to the load address: from .symtab, which has static functions too, unless it was
// stripped, and from .dynsym. Sorted; empty where there is none, or where the tables are damaged.
std::vector<std::string> FunctionNames(const ElfFile& file, uint64_t address);

}  // namespace callbridge

#endif  // CALLBRIDGE_RUNTIME_FUNCTION_NAMES_H_
