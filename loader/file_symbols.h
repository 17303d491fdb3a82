// The symbols of any ELF file, as its sections list them: object files and programs have no other
// table, and shared libraries keep their static functions there.
#ifndef CALLBRIDGE_LOADER_FILE_SYMBOLS_H_
#define CALLBRIDGE_LOADER_FILE_SYMBOLS_H_

#include <libelf.h>

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/symbol_table.h"

namespace callbridge {

struct FileSymbol {
  absl::string_view name;  // a view to the file, without a version ("@GLIBC_2.2.5")
  uint64_t address = 0;    // relative to the load address; in object files, to the section
  bool is_dynamic = false;
  bool is_defined = false;
  bool is_function = false;
  bool is_local = false;
  bool is_weak = false;
  bool is_hidden = false;
};

// Visits every symbol that has a name, .symtab's and .dynsym's as the sections come. Symbols that
// lie outside of their tables are left out. Returns whether there was a .dynsym.
bool VisitSymbols(Elf* elf, absl::FunctionRef<void(const FileSymbol&)> visit);

// The same for a dynamic table that was found without sections.
void VisitSymbols(const SymbolTable& table, absl::FunctionRef<void(const FileSymbol&)> visit);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_FILE_SYMBOLS_H_
