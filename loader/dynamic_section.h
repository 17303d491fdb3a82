// DynamicSection: what a library tells ld.so about itself, found as ld.so finds it, through the
// program headers; section headers may be missing or lie.
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
  uint64_t count = 0;   // of its entries; 0 where the library has no such table
};

class DynamicSection {
 public:
  // INVALID_ARGUMENT names the table that is wrong. `file` must outlive the result.
  static absl::StatusOr<DynamicSection> Parse(const ElfFile& file);

  // In the order of the file, without the DT_NULL that ends them.
  const std::vector<Elf64_Dyn>& entries() const { return entries_; }
  // Where the entries stand in memory and in the file.
  uint64_t address() const { return address_; }
  uint64_t offset() const { return offset_; }

  // The last entry with that tag: the one that counts for ld.so.
  std::optional<uint64_t> Find(Elf64_Sxword tag) const;

  // The string at `offset` of the dynamic string table. INVALID_ARGUMENT, naming `what`, where that
  // is outside of it. The view is to the file.
  absl::StatusOr<absl::string_view> String(uint64_t offset, absl::string_view what) const;

  // What DT_NEEDED names, in order.
  std::vector<absl::string_view> NeededLibraries() const;

  // DT_RELA, DT_JMPREL, DT_RELR, DT_INIT_ARRAY or DT_FINI_ARRAY.
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
  // Where its NULs are: a million symbols may share one name of a megabyte.
  std::vector<uint64_t> string_ends_;
  std::vector<DynamicTable> tables_;
};

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_DYNAMIC_SECTION_H_
