#include "callbridge/loader/unresolved_symbols.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "callbridge/adapters/link/old_symbols.h"
#include "callbridge/loader/demangled_name.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/regular_file.h"
#include "callbridge/loader/symbol_table.h"

namespace callbridge {
namespace {

// Takes what the library at `path` exports out of `wanted`.
void Resolve(const std::string& path, absl::flat_hash_set<absl::string_view>& wanted) {
  absl::StatusOr<std::string> bytes = ReadRegularFile(path);
  if (!bytes.ok()) return;
  absl::StatusOr<ElfFile> file = ElfFile::Parse(*std::move(bytes));
  if (!file.ok()) return;
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(*file);
  if (!dynamic.ok()) return;
  absl::StatusOr<SymbolTable> table = SymbolTable::Parse(*file, *dynamic, {});
  if (!table.ok()) return;
  for (const DynamicSymbol& symbol : table->symbols()) {
    if (symbol.entry.st_shndx == SHN_UNDEF) continue;
    if (ELF64_ST_BIND(symbol.entry.st_info) != STB_LOCAL) wanted.erase(symbol.name);
  }
}

Provider ProviderOf(absl::string_view symbol) {
  for (const OldSymbol& served : OldSymbols()) {
    if (served.name == symbol) return Provider::kCallbridge;
  }
  // All names of Python's C API.
  const bool is_pythons = absl::StartsWith(symbol, "Py") || absl::StartsWith(symbol, "_Py");
  return is_pythons ? Provider::kPython : Provider::kNobody;
}

}  // namespace

absl::string_view ProviderName(Provider provider) {
  switch (provider) {
    case Provider::kCallbridge:
      return "callbridge";
    case Provider::kPython:
      return "python";
    case Provider::kNobody:
      return "nobody";
  }
  return "";
}

std::vector<UnresolvedSymbol> FindUnresolved(
    const absl::flat_hash_map<std::string, bool>& undefined, absl::Span<const std::string> paths) {
  absl::flat_hash_set<absl::string_view> wanted;
  for (const auto& symbol : undefined) wanted.insert(symbol.first);
  for (const std::string& path : paths) {
    if (wanted.empty()) break;
    Resolve(path, wanted);
  }
  std::vector<UnresolvedSymbol> unresolved;
  for (absl::string_view symbol : wanted) {
    const Provider provider = ProviderOf(symbol);
    const bool is_weak = undefined.find(symbol)->second;
    if (is_weak && provider != Provider::kCallbridge) continue;
    unresolved.push_back({std::string(symbol), ReadableName(symbol), provider});
  }
  std::sort(unresolved.begin(), unresolved.end(),
            [](const auto& a, const auto& b) { return a.symbol < b.symbol; });
  return unresolved;
}

}  // namespace callbridge
