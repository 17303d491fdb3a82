#include "callbridge/loader/symbol_table.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/symbol_hash.h"

namespace callbridge {

absl::StatusOr<SymbolTable> SymbolTable::Parse(const ElfFile& file, const DynamicSection& dynamic,
                                               const std::vector<uint32_t>& relocated) {
  const std::optional<uint64_t> address = dynamic.Find(DT_SYMTAB);
  if (!address.has_value() || dynamic.Find(DT_SYMENT).value_or(0) != sizeof(Elf64_Sym)) {
    return absl::InvalidArgumentError(absl::StrCat("has no dynamic symbol table (DT_SYMTAB, and ",
                                                   sizeof(Elf64_Sym), " as DT_SYMENT)"));
  }
  absl::StatusOr<uint64_t> hashed = HashedSymbolCount(file, dynamic);
  if (!hashed.ok()) return hashed.status();
  const uint64_t count =
      std::max(*hashed, relocated.empty() ? uint64_t{1} : uint64_t{relocated.back()} + 1);
  absl::StatusOr<uint64_t> offset =
      file.FileOffset(*address, count * sizeof(Elf64_Sym), "DT_SYMTAB");
  if (!offset.ok()) return offset.status();

  SymbolTable table;
  table.offset_ = *offset;
  table.symbols_.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    const auto entry = file.Read<Elf64_Sym>(table.Offset(i));
    absl::StatusOr<absl::string_view> name =
        dynamic.String(entry.st_name, absl::StrCat("symbol ", i));
    if (!name.ok()) return name.status();
    table.symbols_.push_back({entry, *name});
  }
  return table;
}

}  // namespace callbridge
