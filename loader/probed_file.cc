#include "callbridge/loader/probed_file.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/adapters/link/old_symbols.h"
#include "callbridge/loader/dependencies.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/files.h"
#include "callbridge/loader/origin.h"
#include "callbridge/loader/private_copy.h"
#include "callbridge/loader/symbol_table.h"

namespace callbridge {
namespace {

// Replaces Python's variables and functions, which handlers do not need to answer.
alignas(64) char no_python[1 << 12];
// Replaces the type information and the tables of classes of a missing library.
alignas(64) char no_class[1 << 12];
// Replaces all else that is missing. Constructors call CUDA's functions, for instance, which return
// handles or the number of an error.
void* MissingFunction() { return nullptr; }

void* Replacement(absl::string_view symbol) {
  for (const char* data : {"_ZTI", "_ZTS", "_ZTT", "_ZTV"}) {
    if (absl::StartsWith(symbol, data)) return no_class;
  }
  return reinterpret_cast<void*>(&MissingFunction);
}

// The undefined symbols of a file, with whether each is weak.
absl::flat_hash_map<std::string, bool> UndefinedSymbols(const ElfFile& file) {
  absl::flat_hash_map<std::string, bool> undefined;
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(file);
  if (!dynamic.ok()) return undefined;
  absl::StatusOr<SymbolTable> table = SymbolTable::Parse(file, *dynamic, {});
  if (!table.ok()) return undefined;
  for (const DynamicSymbol& symbol : table->symbols()) {
    if (symbol.entry.st_shndx != SHN_UNDEF || symbol.name.empty()) continue;
    undefined.emplace(symbol.name, ELF64_ST_BIND(symbol.entry.st_info) == STB_WEAK);
  }
  return undefined;
}

// What a file gets that is opened without some of the libraries that it needs.
struct Substitutes {
  std::vector<std::string> libraries;  // those to do without
  std::vector<std::string> symbols;    // what no other library has
};

bool IsWhole(const LoaderAnswer& answer) {
  return std::none_of(answer.libraries.begin(), answer.libraries.end(),
                      [](const NeededLibrary& library) { return library.path.empty(); });
}

// A library is done without also if one that it needs itself is not found.
absl::StatusOr<Substitutes> FindSubstitutes(const std::string& path, const ElfFile& file) {
  absl::StatusOr<DynamicSection> dynamic = DynamicSection::Parse(file);
  if (!dynamic.ok()) return dynamic.status();
  absl::StatusOr<LoaderAnswer> all = AskLoader(path);
  if (!all.ok()) return all.status();
  absl::flat_hash_map<absl::string_view, absl::string_view> paths;
  for (const NeededLibrary& library : all->libraries) paths[library.name] = library.path;
  Substitutes found;
  std::vector<std::string> providers;
  for (absl::string_view name : dynamic->NeededLibraries()) {
    const auto library = paths.find(name);
    const std::string place(library == paths.end() ? "" : library->second);
    const absl::StatusOr<LoaderAnswer> needs =
        place.empty() ? absl::NotFoundError("") : AskLoader(place);
    if (!needs.ok() || !IsWhole(*needs)) {
      found.libraries.emplace_back(name);
      continue;
    }
    for (const NeededLibrary& one : needs->libraries) providers.push_back(one.path);
    providers.push_back(place);
  }
  for (UnresolvedSymbol& symbol : FindUnresolved(UndefinedSymbols(file), providers)) {
    if (symbol.provider == Provider::kNone) found.symbols.push_back(std::move(symbol.symbol));
  }
  return found;
}

absl::Status ErrorOf(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

absl::StatusOr<std::unique_ptr<LoadedCopy>> Load(const std::string& path, const ElfFile& file,
                                                 const Substitutes& substitutes) {
  std::vector<OldSymbol> served(OldSymbols().begin(), OldSymbols().end());
  const absl::flat_hash_map<std::string, bool> undefined = UndefinedSymbols(file);
  for (const auto& [name, is_weak] : undefined) {
    if (absl::StartsWith(name, "Py") || absl::StartsWith(name, "_Py")) {
      served.push_back({name, no_python});
    }
  }
  for (const std::string& name : substitutes.symbols) {
    served.push_back({name, Replacement(name)});
  }
  absl::StatusOr<PrivateCopy> copy = MakePrivateCopy(file, served, substitutes.libraries);
  if (!copy.ok()) return ErrorOf(path, copy.status());
  absl::StatusOr<FileDescriptor> code_file = WriteCodeFile(copy->file.bytes());
  if (!code_file.ok()) return ErrorOf(path, code_file.status());
  return LoadedCopy::Open(*copy, *std::move(code_file), path);
}

}  // namespace

ProbedFile::ProbedFile(std::string path, const ElfFile& file) : path_(std::move(path)) {
  for (const Elf64_Phdr& segment : file.segments()) {
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) code_.push_back(segment);
  }
}

absl::StatusOr<ProbedFile> ProbedFile::Open(const std::string& path, uint64_t address) {
  absl::StatusOr<std::string> bytes = ReadRegularFile(path);
  if (!bytes.ok()) return ErrorOf(path, bytes.status());
  absl::StatusOr<ElfFile> file = ElfFile::Parse(*std::move(bytes));
  if (!file.ok()) return ErrorOf(path, file.status());
  ProbedFile probed(path, *file);
  absl::StatusOr<void*> function = probed.Function(address);
  if (!function.ok()) return function.status();
  std::error_code no_folder;
  const std::filesystem::path folder = std::filesystem::absolute(path, no_folder).parent_path();
  file = WithOrigin(*std::move(file), folder.native());
  if (!file.ok()) return ErrorOf(path, file.status());

  absl::StatusOr<std::unique_ptr<LoadedCopy>> loaded = Load(path, *file, {});
  if (!loaded.ok()) {
    absl::StatusOr<Substitutes> substitutes = FindSubstitutes(path, *file);
    if (!substitutes.ok()) return loaded.status();
    absl::StatusOr<std::unique_ptr<LoadedCopy>> without = Load(path, *file, *substitutes);
    if (!without.ok()) return loaded.status();
    probed.missing_ = std::string(loaded.status().message());
    loaded = std::move(without);
  }
  probed.loaded_ = loaded->release();  // never closed
  probed.load_address_ = probed.loaded_->load_address();
  return probed;
}

absl::Status ProbedFile::RunConstructors() {
  absl::Status constructed = loaded_->RunConstructors();
  return constructed.ok() ? constructed : ErrorOf(path_, constructed);
}

absl::StatusOr<void*> ProbedFile::Function(uint64_t address) const {
  for (const Elf64_Phdr& segment : code_) {
    if (address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_memsz) continue;
    return reinterpret_cast<void*>(load_address_ + address);  // NOLINT
  }
  return absl::InvalidArgumentError(absl::StrCat(path_, kHasNoCode));
}

}  // namespace callbridge
