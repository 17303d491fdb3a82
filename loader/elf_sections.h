// Reads an ELF file by its sections, with libelf, which checks every index, offset and string: the
// symbols, the names of functions, and the GPU code. Object files and programs have no other
// tables, and shared libraries list their static functions only there.
#ifndef CALLBRIDGE_LOADER_ELF_SECTIONS_H_
#define CALLBRIDGE_LOADER_ELF_SECTIONS_H_

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/symbol_table.h"

namespace callbridge {

using ElfHandle = std::unique_ptr<Elf, int (*)(Elf*)>;

// Opens a file in memory with libelf. `bytes` must outlive the result. Returns null if libelf does
// not recognise them.
inline ElfHandle OpenElf(absl::string_view bytes) {
  elf_version(EV_CURRENT);
  // libelf only reads through this pointer unless it is asked to update a file.
  return {elf_memory(const_cast<char*>(bytes.data()), bytes.size()), &elf_end};
}

// ---- Symbols

struct FileSymbol {
  absl::string_view name;  // a view to the file, without the version ("@GLIBC_2.2.5")
  uint64_t address = 0;    // relative to the load address; in an object file, to the section
  uint64_t size = 0;       // in bytes
  bool is_dynamic = false;
  bool is_defined = false;
  bool is_function = false;
  bool is_local = false;
  bool is_weak = false;
  bool is_hidden = false;
};

// Calls `visit` for each named symbol of .symtab and .dynsym, in the order of the sections. Skips
// symbols that lie outside of their tables. Returns whether the file has a .dynsym.
bool VisitSymbols(Elf* elf, absl::FunctionRef<void(const FileSymbol&)> visit);

// Calls `visit` for each named symbol of a dynamic table that was found without sections.
void VisitSymbols(const SymbolTable& table, absl::FunctionRef<void(const FileSymbol&)> visit);

// The functions of a file, by address.
class FunctionNames {
 public:
  // Reads .symtab, which lists static functions too and is missing from stripped files, and the
  // dynamic symbol table. Ignores damaged tables and names of more than 64 KiB.
  explicit FunctionNames(const ElfFile& file);

  // Returns the mangled names of the functions that begin exactly at `address`, which is relative
  // to the load address. Sorted.
  std::vector<std::string> At(uint64_t address) const;

 private:
  void AddDynamicNames(const ElfFile& file);
  void AddStaticNames(const ElfFile& file);

  absl::flat_hash_map<uint64_t, std::set<std::string>> names_;
};

// Returns the names, as linkers know them, of the functions that a library exports, sorted; none if
// its dynamic symbol table is damaged.
std::vector<std::string> ExportedFunctions(const ElfFile& file);

// ---- GPU code

// Returns the architectures of the CUDA kernels in a section .nv_fatbin: "sm_90" for machine code,
// "compute_90" for PTX. Stops where the section is damaged.
std::set<std::string> FatBinaryArchitectures(absl::string_view section);

// Returns the architectures of all CUDA kernels of a file. Sets `has_hip` if the file has kernels
// for AMD GPUs, and leaves it otherwise.
std::set<std::string> GpuArchitectures(Elf* elf, bool* has_hip);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_ELF_SECTIONS_H_
