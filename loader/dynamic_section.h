// DynamicSection: what a library tells ld.so about itself, and the relocations that it asks for.
// Found as ld.so finds them, through the program headers: section headers may be missing or wrong.
#ifndef CALLBRIDGE_LOADER_DYNAMIC_SECTION_H_
#define CALLBRIDGE_LOADER_DYNAMIC_SECTION_H_

#include <elf.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

// A table that two entries of the dynamic section describe.
struct DynamicTable {
  uint64_t address = 0;
  uint64_t offset = 0;  // in the file
  uint64_t count = 0;   // number of entries; 0 if the library has no such table
};

class DynamicSection {
 public:
  // Parses and checks the dynamic section of `file`, which must outlive the result. Returns
  // INVALID_ARGUMENT, naming the table, if one is invalid.
  static absl::StatusOr<DynamicSection> Parse(const ElfFile& file);

  // The entries in the order of the file, without the terminating DT_NULL.
  const std::vector<Elf64_Dyn>& entries() const { return entries_; }
  // The address of the first entry.
  uint64_t address() const { return address_; }
  // The offset of the first entry in the file.
  uint64_t offset() const { return offset_; }

  // Returns the value of the last entry with that tag, which is the one that ld.so uses.
  std::optional<uint64_t> Find(Elf64_Sxword tag) const;

  // Returns the string at `offset` of the dynamic string table, a view to the file. Returns
  // INVALID_ARGUMENT, naming `what`, if `offset` is outside of the table.
  absl::StatusOr<absl::string_view> String(uint64_t offset, absl::string_view what) const;

  // Returns the names in DT_NEEDED entries, in order; views to the file.
  std::vector<absl::string_view> NeededLibraries() const;

  // Returns a table by the tag of its address: DT_RELA, DT_JMPREL, DT_RELR, DT_INIT_ARRAY or
  // DT_FINI_ARRAY.
  const DynamicTable& Table(Elf64_Sxword tag) const;

 private:
  explicit DynamicSection(const ElfFile& file) : file_(&file) {}

  absl::Status ReadEntries();
  absl::Status CheckIsNoExecutable() const;
  absl::Status FindStrings();
  absl::Status CheckStringOffsets() const;
  absl::Status FindTables();
  absl::Status CheckCode() const;

  const ElfFile* file_;
  uint64_t address_ = 0;
  uint64_t offset_ = 0;
  std::vector<Elf64_Dyn> entries_;
  absl::string_view strings_;  // ends with a NUL
  // The offsets of its NULs. Searched by bisection, since a million symbols may share one name of a
  // megabyte.
  std::vector<uint64_t> string_ends_;
  std::vector<DynamicTable> tables_;
};

// Checks all relocations. Returns the indexes in the dynamic symbol table of the symbols that they
// need, which are those that ld.so looks up: ascending, without 0. Returns INVALID_ARGUMENT for a
// relocation that would make ld.so write outside of the library's writable memory or fail an
// assertion.
absl::StatusOr<std::vector<uint32_t>> RelocatedSymbols(const ElfFile& file,
                                                       const DynamicSection& dynamic);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_DYNAMIC_SECTION_H_
