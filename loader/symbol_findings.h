// SymbolFindings: what a file's symbols tell of custom calls, gathered in one pass.
#ifndef CALLBRIDGE_LOADER_SYMBOL_FINDINGS_H_
#define CALLBRIDGE_LOADER_SYMBOL_FINDINGS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "callbridge/loader/custom_call_function.h"
#include "callbridge/loader/file_symbols.h"

namespace callbridge {

// Where a function of XLA's is, as a file's symbols show it.
enum class Place {
  kImported,     // wanted from another library
  kPrivateCopy,  // in the file, for itself alone
  kExported,     // in the file, for others too
};

// "imported", "a private copy", "exported". Static storage.
absl::string_view PlaceName(Place place);

struct UntypedFunction {
  std::string name;
  uint64_t address = 0;
};

struct SymbolFindings {
  // Custom calls by their types, by address.
  std::map<std::pair<uint64_t, std::string>, CustomCallFunction> functions;
  // Exported functions whose names have no type (extern "C"), which any ABI may hide behind; not
  // those that Python calls.
  std::map<std::string, UntypedFunction> untyped_functions;
  // Functions of xla::CustomCallTargetRegistry and of callbridge's own that register, by their
  // readable names, and of XlaCustomCallStatus.
  std::map<std::string, Place> registry;
  std::map<std::string, Place> status;
  // What Python imports: "_lapack" for PyInit__lapack.
  std::set<std::string> python_modules;
  // Undefined symbols, and whether each is weak, so that it may stay so.
  absl::flat_hash_map<std::string, bool> undefined;
  // All that others could import; gathered of object files alone.
  absl::flat_hash_set<std::string> defined;
  bool has_static_symbols = false;
  bool mentions_typed_ffi = false;  // xla::ffi, or XLA_FFI_...
  bool has_static_cuda_runtime = false;
};

// Adds a symbol. An object file has static symbols alone, and imports and exports by them.
void AddSymbol(const FileSymbol& symbol, bool is_object_file, SymbolFindings& findings);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_SYMBOL_FINDINGS_H_
