// SymbolVersions: which versions of which libraries a library's symbols ask for (.gnu.version_r and
// .gnu.version).
#ifndef CALLBRIDGE_LOADER_SYMBOL_VERSIONS_H_
#define CALLBRIDGE_LOADER_SYMBOL_VERSIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_file.h"

namespace callbridge {

// The versions that are needed of one library: one record of DT_VERNEED.
struct NeededVersions {
  uint64_t address;
  uint64_t offset;                // in the file
  absl::string_view library;      // as in DT_NEEDED; a view to the file
  std::vector<uint16_t> indexes;  // by which symbols refer to them
};

class SymbolVersions {
 public:
  // INVALID_ARGUMENT says what is wrong. `symbol_count` is that of the dynamic symbol table.
  static absl::StatusOr<SymbolVersions> Parse(const ElfFile& file, const DynamicSection& dynamic,
                                              size_t symbol_count);

  // In the order of the file.
  const std::vector<NeededVersions>& needed() const { return needed_; }

  // Where the version index of a symbol stands in the file; none where symbols have no versions.
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

#endif  // CALLBRIDGE_LOADER_SYMBOL_VERSIONS_H_
