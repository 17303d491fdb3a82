// What a file needs of other files: the libraries, as ld.so finds them, and the symbols that none
// of them has. Runs no code of the file.
#ifndef CALLBRIDGE_LOADER_DEPENDENCIES_H_
#define CALLBRIDGE_LOADER_DEPENDENCIES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace callbridge {

// ---- Libraries

// Returns whether `name`, a library's name or path, is one of the TensorFlow libraries that
// callbridge replaces: libtensorflow_cc.so or libtensorflow_framework.so, of any version. They
// exported XLA to the binaries that linked them.
bool IsTensorFlowLibrary(absl::string_view name);

struct NeededLibrary {
  std::string name;  // "libstdc++.so.6"
  std::string path;  // where ld.so finds it; empty if it does not
};

struct LoaderAnswer {
  // Every library that the file needs, directly or through another one, and ld.so itself.
  std::vector<NeededLibrary> libraries;
  // The symbol versions that the found libraries lack, in ld.so's words.
  std::vector<std::string> missing_versions;
};

// Runs ld.so on the file at `path` in trace mode, which maps the file and its libraries but does
// not relocate or run them. The file's tables must have been checked, since ld.so trusts them.
// Returns FAILED_PRECONDITION if ld.so refuses the file, with the reason. Fails as RunChild() if
// ld.so cannot be run.
absl::StatusOr<LoaderAnswer> AskLoader(const std::string& path);

// Parses what ld.so prints in trace mode for the file at `path`.
LoaderAnswer ParseLoaderAnswer(absl::string_view output, absl::string_view path);

// ---- Symbols

enum class Provider {
  kCallbridge,  // in place of XLA
  kPython,      // the interpreter that imports the file
  kNone,
};

// Returns "callbridge", "python" or "none", in static storage.
absl::string_view ProviderName(Provider provider);

struct UnresolvedSymbol {
  std::string symbol;  // mangled
  std::string name;    // readable
  Provider provider = Provider::kNone;
};

// Returns the symbols of `undefined` that no library at `paths` exports, sorted by symbol.
// `undefined` maps a symbol to whether it is weak. Omits weak symbols, which may stay undefined,
// unless callbridge provides them. Treats a file that cannot be read as one without symbols.
std::vector<UnresolvedSymbol> FindUnresolved(
    const absl::flat_hash_map<std::string, bool>& undefined, absl::Span<const std::string> paths);

// ---- What this process lacks to load a library

// Without duplicates.
struct MissingParts {
  std::vector<std::string> libraries;  // "libfoo.so.1"
  // Mangled and sorted. Empty if libraries are missing, since any symbol may be in one of them.
  std::vector<std::string> symbols;
};

// Returns everything that the library at `path` needs and this process cannot provide, where
// dlopen() reports the first thing only. Runs ld.so in trace mode, so no code of the library or of
// its libraries runs. Does not count what this process already has: loaded libraries, and symbols
// in its global scope. Fails as RunChild() if ld.so cannot be run.
absl::StatusOr<MissingParts> FindMissingParts(const std::string& path);

// Returns "undefined symbols: f(int), g" or "libraries that are not found: libfoo.so.1 (...)";
// empty if nothing is missing.
std::string DescribeMissingParts(const MissingParts& missing);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_DEPENDENCIES_H_
