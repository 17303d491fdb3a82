#include "callbridge/loader/dependencies.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "callbridge/abi/machine.h"
#include "callbridge/adapters/link/old_symbols.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/loader/demangled_name.h"
#include "callbridge/loader/dynamic_section.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/files.h"
#include "callbridge/loader/symbol_table.h"

namespace callbridge {

// ---- Libraries

bool IsTensorFlowLibrary(absl::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  return absl::StartsWith(name, "libtensorflow_cc.so") ||
         absl::StartsWith(name, "libtensorflow_framework.so");
}

namespace {

constexpr const char* kLoaderPath = kThisMachine.loader_path;

// Returns a child that runs ld.so in trace mode on `path`, which must contain a '/', since ld.so
// searches for a bare name. `variables` are as in ChildProcess.
ChildProcess LoaderTrace(const std::string& path, std::vector<std::string> variables) {
  ChildProcess loader;
  loader.command = {kLoaderPath, path};
  loader.variables = std::move(variables);
  loader.variables.emplace_back("LD_TRACE_LOADED_OBJECTS=1");
  return loader;
}

// "name => path (0x7f...)", "name => not found" or "path (0x7f...)".
NeededLibrary ParseLibrary(absl::string_view line) {
  const size_t address = line.rfind(" (0x");
  if (address != absl::string_view::npos) line = line.substr(0, address);
  const std::vector<absl::string_view> sides = absl::StrSplit(line, absl::MaxSplits(" => ", 1));
  NeededLibrary library{std::string(sides.front()), std::string(sides.back())};
  // Known by the path, needed by the name.
  if (library.name == kLoaderPath) library.name.erase(0, library.name.rfind('/') + 1);
  if (library.path == "not found") library.path.clear();
  return library;
}

}  // namespace

LoaderAnswer ParseLoaderAnswer(absl::string_view output, absl::string_view path) {
  LoaderAnswer answer;
  for (absl::string_view line : absl::StrSplit(output, '\n', absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&line, "\t")) {
      // The kernel's own library, which is not a file.
      if (absl::StartsWith(line, "linux-vdso") || line == "statically linked") continue;
      answer.libraries.push_back(ParseLibrary(line));
    } else if (absl::StrContains(line, "version `")) {
      absl::ConsumePrefix(&line, absl::StrCat(path, ": "));
      answer.missing_versions.emplace_back(line);
    }
  }
  return answer;
}

absl::StatusOr<LoaderAnswer> AskLoader(const std::string& path) {
  const std::string absolute = PathForChild(path);  // a bare name is searched
  const ChildProcess loader = LoaderTrace(
      absolute, {"LD_PRELOAD", "LD_AUDIT", "LD_DEBUG", "LD_WARN", "LD_BIND_NOW", "LD_VERBOSE"});
  absl::StatusOr<ChildOutcome> outcome = RunChild(loader);
  if (!outcome.ok()) return outcome.status();
  if (outcome->timed_out || outcome->signal != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("ld.so ", WhatWentWrong(*outcome, loader.limit)));
  }
  LoaderAnswer answer = ParseLoaderAnswer(outcome->output, absolute);
  const bool failed = outcome->is_unknown ? outcome->output.empty() : outcome->exit_status != 0;
  if (answer.libraries.empty() && failed) {
    return absl::FailedPreconditionError(absl::StrCat("ld.so says: ", outcome->output));
  }
  return answer;
}

// ---- Symbols

namespace {

// Removes what the library at `path` exports from `wanted`.
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
  // All names of Python's C API begin so.
  const bool is_pythons = absl::StartsWith(symbol, "Py") || absl::StartsWith(symbol, "_Py");
  return is_pythons ? Provider::kPython : Provider::kNone;
}

}  // namespace

absl::string_view ProviderName(Provider provider) {
  switch (provider) {
    case Provider::kCallbridge:
      return "callbridge";
    case Provider::kPython:
      return "python";
    case Provider::kNone:
      return "none";
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

// ---- What is missing to load a library in this process

namespace {

// So many missing symbols have one cause.
constexpr size_t kMaximumShown = 100;

// The output of ld.so about the library: lines such as "libfoo.so.1 => not found" and
// "undefined symbol: f, version V	(/proc/123/fd/4)".
absl::StatusOr<std::string> AskForSymbols(const std::string& path) {
  absl::StatusOr<ChildOutcome> outcome =
      RunChild(LoaderTrace(path, {"LD_WARN=yes", "LD_BIND_NOW=1"}));
  if (!outcome.ok()) return outcome.status();
  return std::move(outcome->output);
}

bool IsLoaded(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

std::string Join(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kMaximumShown);
  std::string text = absl::StrJoin(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", ",
      [](std::string* out, const std::string& name) { out->append(ReadableName(name)); });
  if (shown < names.size()) absl::StrAppend(&text, " and ", names.size() - shown, " more");
  return text;
}

}  // namespace

absl::StatusOr<MissingParts> FindMissingParts(const std::string& path) {
  absl::StatusOr<std::string> trace = AskForSymbols(path);
  if (!trace.ok()) return trace.status();
  MissingParts missing;
  absl::flat_hash_set<absl::string_view> seen;
  for (absl::string_view line : absl::StrSplit(*trace, '\n', absl::SkipWhitespace())) {
    line = absl::StripAsciiWhitespace(line);
    if (!seen.insert(line).second) continue;
    if (absl::ConsumeSuffix(&line, " => not found")) {
      if (!IsLoaded(std::string(line))) missing.libraries.emplace_back(line);
    } else if (absl::ConsumePrefix(&line, "undefined symbol: ")) {
      std::string name(line.substr(0, line.find_first_of(",\t")));
      if (dlsym(RTLD_DEFAULT, name.c_str()) == nullptr) missing.symbols.push_back(std::move(name));
    }
  }
  if (!missing.libraries.empty()) missing.symbols.clear();
  std::sort(missing.symbols.begin(), missing.symbols.end());
  return missing;
}

std::string DescribeMissingParts(const MissingParts& missing) {
  if (!missing.libraries.empty()) {
    return absl::StrCat("libraries that are not found: ", Join(missing.libraries),
                        " (add their folders to LD_LIBRARY_PATH)");
  }
  if (missing.symbols.empty()) return "";
  return absl::StrCat(missing.symbols.size() == 1 ? "undefined symbol: " : "undefined symbols: ",
                      Join(missing.symbols));
}

}  // namespace callbridge
