// SymbolFindings: what a file's symbols show about custom calls, collected in one pass, and the
// string ABI that they show.
#ifndef CALLBRIDGE_LOADER_SYMBOL_FINDINGS_H_
#define CALLBRIDGE_LOADER_SYMBOL_FINDINGS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "callbridge/loader/custom_call_function.h"
#include "callbridge/loader/elf_sections.h"

namespace callbridge {

// Where a function of XLA's is, as a file's symbols show it.
enum class Place {
  kImported,     // in another library
  kPrivateCopy,  // in the file, for its own use
  kExported,     // in the file, visible to others
};

// Returns "imported", "a private copy" or "exported", in static storage.
absl::string_view PlaceName(Place place);

struct UntypedFunction {
  std::string name;
  uint64_t address = 0;
};

struct SymbolFindings {
  // Functions with the type of a custom call, by address and symbol.
  std::map<std::pair<uint64_t, std::string>, CustomCallFunction> functions;
  // Exported functions whose names have no type (extern "C"), so that any ABI is possible; without
  // those that Python calls. By name.
  std::map<std::string, UntypedFunction> untyped_functions;
  // The functions that register targets, of xla::CustomCallTargetRegistry and of callbridge, by
  // readable name.
  std::map<std::string, Place> registry;
  // The functions of XlaCustomCallStatus, by name.
  std::map<std::string, Place> status;
  // The names of Python modules: "_lapack" for PyInit__lapack.
  std::set<std::string> python_modules;
  // Undefined symbols, and whether each is weak and so may stay undefined.
  absl::flat_hash_map<std::string, bool> undefined;
  // All symbols that other files could import; for object files only.
  absl::flat_hash_set<std::string> defined;
  bool has_static_symbols = false;
  bool mentions_typed_ffi = false;  // a symbol contains XLA_FFI_ or is of xla::ffi
  bool has_static_cuda_runtime = false;
};

// Adds a symbol. An object file has static symbols only, and imports and exports by them.
void AddSymbol(const FileSymbol& symbol, bool is_object_file, SymbolFindings& findings);

// ---- String ABI

// Which of libstdc++'s two std::strings a file was compiled for.
enum class StringAbi {
  kNotSeen,
  kNew,   // _GLIBCXX_USE_CXX11_ABI=1: std::__cxx11::basic_string
  kOld,   // _GLIBCXX_USE_CXX11_ABI=0: "Ss"
  kBoth,  // a library of one was linked into the other
};

// Returns "not_seen", "new", "old" or "both", in static storage.
absl::string_view StringAbiName(StringAbi abi);

// Returns the string ABI by the types in the names of imported functions, the keys of `undefined`.
StringAbi StringAbiOf(const absl::flat_hash_map<std::string, bool>& undefined);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_SYMBOL_FINDINGS_H_
