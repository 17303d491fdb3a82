#include "callbridge/loader/private_copy.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/dependencies.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/protobuf_layout.h"
#include "callbridge/loader/symbol_table.h"

namespace callbridge {
namespace {

// The checked tables that ld.so reads.
struct LoaderTables {
  DynamicSection dynamic;
  SymbolTable symbols;
  SymbolVersions versions;
};

absl::StatusOr<LoaderTables> ReadTables(const ElfFile& file) {
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(file);
  if (!dynamic.ok()) return dynamic.status();
  absl::StatusOr<std::vector<uint32_t>> relocated = RelocatedSymbols(file, *dynamic);
  if (!relocated.ok()) return relocated.status();
  absl::StatusOr<SymbolTable> symbols = SymbolTable::Parse(file, *dynamic, *relocated);
  if (!symbols.ok()) return symbols.status();
  absl::StatusOr<SymbolVersions> versions =
      SymbolVersions::Parse(file, *dynamic, symbols->symbols().size());
  if (!versions.ok()) return versions.status();
  return LoaderTables{*std::move(dynamic), *std::move(symbols), *std::move(versions)};
}

Constructors FindConstructors(const DynamicSection& dynamic) {
  const DynamicTable& array = dynamic.Table(DT_INIT_ARRAY);
  return {dynamic.Find(DT_INIT).value_or(0), array.address, array.count};
}

void BindSymbol(ElfFile& file, uint64_t offset, Elf64_Sym symbol, void* address) {
  symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
  symbol.st_other = STV_HIDDEN;
  symbol.st_shndx = SHN_ABS;
  symbol.st_value = reinterpret_cast<uintptr_t>(address);
  file.Write(offset, symbol);
}

void BindSymbols(ElfFile& file, const SymbolTable& table, absl::Span<const OldSymbol> served) {
  absl::flat_hash_map<absl::string_view, void*> addresses;
  size_t longest = 0;
  for (const OldSymbol& symbol : served) {
    addresses.emplace(symbol.name, symbol.address);
    longest = std::max(longest, symbol.name.size());
  }
  for (size_t i = 1; i < table.symbols().size(); ++i) {
    const DynamicSymbol& symbol = table.symbols()[i];
    if (symbol.entry.st_shndx != SHN_UNDEF || symbol.name.size() > longest) continue;
    if (ELF64_ST_TYPE(symbol.entry.st_info) == STT_TLS) continue;
    auto found = addresses.find(symbol.name);
    if (found == addresses.end()) continue;
    BindSymbol(file, table.Offset(i), symbol.entry, found->second);
  }
}

// Unoptimised code exports the inline constructor of xla::RegisterCustomCallTarget. It would call
// the constructor of another library in the global scope, which registers elsewhere. The same holds
// for the inline functions of protobuf's headers. A local symbol is always bound to itself.
bool MustBeOwn(absl::string_view name, bool binds_protobuf) {
  return absl::StartsWith(name, "_ZN3xla24RegisterCustomCallTargetC") ||
         (binds_protobuf && IsProtobufSymbol(name));
}

void KeepOwnFunctions(ElfFile& file, const SymbolTable& table, bool binds_protobuf) {
  for (size_t i = 1; i < table.symbols().size(); ++i) {
    Elf64_Sym symbol = table.symbols()[i].entry;
    if (symbol.st_shndx == SHN_UNDEF) continue;
    if (!MustBeOwn(table.symbols()[i].name, binds_protobuf)) continue;
    symbol.st_info = ELF64_ST_INFO(STB_LOCAL, ELF64_ST_TYPE(symbol.st_info));
    file.Write(table.Offset(i), symbol);
  }
}

bool BindsProtobuf(absl::Span<const OldSymbol> symbols) {
  return std::any_of(symbols.begin(), symbols.end(),
                     [](const OldSymbol& symbol) { return IsProtobufSymbol(symbol.name); });
}

// Unlinks the version records of libraries that are not needed: ld.so fails an assertion for a
// record whose library is not loaded. Returns the records that stay.
std::vector<NeededVersions> UnlinkVersions(ElfFile& file, const SymbolVersions& versions,
                                           const absl::flat_hash_set<absl::string_view>& needed) {
  std::vector<NeededVersions> kept;
  for (const NeededVersions& library : versions.needed()) {
    if (needed.contains(library.library)) kept.push_back(library);
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    auto record = file.Read<Elf64_Verneed>(kept[i].offset);
    const bool is_last = i + 1 == kept.size();
    record.vn_next = is_last ? 0 : static_cast<Elf64_Word>(kept[i + 1].address - kept[i].address);
    file.Write(kept[i].offset, record);
  }
  return kept;
}

// Symbols with a version that is gone accept any version.
void ResetVersionIndexes(ElfFile& file, const SymbolVersions& versions, size_t symbol_count,
                         const absl::flat_hash_set<absl::string_view>& needed) {
  absl::flat_hash_set<uint16_t> gone;
  for (const NeededVersions& library : versions.needed()) {
    if (!needed.contains(library.library)) {
      gone.insert(library.indexes.begin(), library.indexes.end());
    }
  }
  if (gone.empty()) return;
  constexpr uint16_t kHidden = 0x8000;
  for (size_t i = 0; i < symbol_count; ++i) {
    const uint64_t offset = *versions.IndexOffset(i);
    const auto index = static_cast<uint16_t>(file.Read<Elf64_Versym>(offset) & ~kHidden);
    if (gone.contains(index)) file.Write<Elf64_Versym>(offset, VER_NDX_GLOBAL);
  }
}

// Returns the dynamic section without `dropped` libraries and without constructors.
std::vector<Elf64_Dyn> RewrittenEntries(const DynamicSection& dynamic,
                                        const absl::flat_hash_set<uint64_t>& dropped,
                                        const std::vector<NeededVersions>& versions) {
  std::vector<Elf64_Dyn> entries;
  for (Elf64_Dyn entry : dynamic.entries()) {
    switch (entry.d_tag) {
      case DT_NEEDED:
        if (dropped.contains(entry.d_un.d_val)) continue;
        break;
      case DT_INIT:
      case DT_INIT_ARRAY:
      case DT_INIT_ARRAYSZ:
        continue;
      case DT_VERNEED:
        if (versions.empty()) continue;
        entry.d_un.d_ptr = versions.front().address;
        break;
      case DT_VERNEEDNUM:
        if (versions.empty()) continue;
        entry.d_un.d_val = versions.size();
        break;
      case DT_VERSYM:  // meaningless now, but ld.so would follow it into a missing table
        if (versions.empty() && !dynamic.Find(DT_VERDEF).has_value()) continue;
        break;
      default:
        break;
    }
    entries.push_back(entry);
  }
  return entries;
}

void WriteEntries(ElfFile& file, const DynamicSection& dynamic, std::vector<Elf64_Dyn> entries) {
  entries.resize(dynamic.entries().size(), Elf64_Dyn{DT_NULL, {0}});
  uint64_t offset = dynamic.offset();
  for (const Elf64_Dyn& entry : entries) {
    file.Write(offset, entry);
    offset += sizeof(entry);
  }
}

}  // namespace

absl::StatusOr<PrivateCopy> MakePrivateCopy(ElfFile file, absl::Span<const OldSymbol> symbols,
                                            absl::Span<const std::string> unneeded) {
  PrivateCopy copy{std::move(file), {}, {}};
  absl::StatusOr<LoaderTables> tables = ReadTables(copy.file);
  if (!tables.ok()) return tables.status();
  const DynamicSection& dynamic = tables->dynamic;
  copy.constructors = FindConstructors(dynamic);

  absl::flat_hash_set<absl::string_view> needed;
  absl::flat_hash_set<uint64_t> dropped;  // offsets in the string table
  for (const Elf64_Dyn& entry : dynamic.entries()) {
    if (entry.d_tag != DT_NEEDED) continue;
    const absl::string_view name = *dynamic.String(entry.d_un.d_val, "DT_NEEDED");
    const bool is_needed = std::find(unneeded.begin(), unneeded.end(), name) == unneeded.end();
    if (is_needed && !IsTensorFlowLibrary(name)) {
      needed.insert(name);
    } else if (dropped.insert(entry.d_un.d_val).second) {
      copy.dropped_libraries.emplace_back(name);
    }
  }

  ResetVersionIndexes(copy.file, tables->versions, tables->symbols.symbols().size(), needed);
  const std::vector<NeededVersions> versions = UnlinkVersions(copy.file, tables->versions, needed);
  WriteEntries(copy.file, dynamic, RewrittenEntries(dynamic, dropped, versions));
  BindSymbols(copy.file, tables->symbols, symbols);
  KeepOwnFunctions(copy.file, tables->symbols, BindsProtobuf(symbols));

  // In a hostile file tables overlap, so writing one changes another. Checks again, so that ld.so
  // gets what was checked last.
  absl::StatusOr<ElfFile> rewritten = ElfFile::Parse(copy.file.bytes());
  if (!rewritten.ok()) return rewritten.status();
  absl::Status status = ReadTables(*rewritten).status();
  if (!status.ok()) return status;
  return copy;
}

}  // namespace callbridge
