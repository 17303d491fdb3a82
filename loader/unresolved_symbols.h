// Finds who would provide a file's undefined symbols.
#ifndef CALLBRIDGE_LOADER_UNRESOLVED_SYMBOLS_H_
#define CALLBRIDGE_LOADER_UNRESOLVED_SYMBOLS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace callbridge {

enum class Provider {
  kCallbridge,  // stands in for XLA
  kPython,      // the interpreter that imports the file
  kNobody,
};

// "callbridge", "python", "nobody". Static storage.
absl::string_view ProviderName(Provider provider);

struct UnresolvedSymbol {
  std::string symbol;  // as linkers know it
  std::string name;    // for people
  Provider provider = Provider::kNobody;
};

// The symbols of `undefined` that none of the libraries at `paths` has, by symbol. Left out are
// those that may stay undefined (weak: true), unless callbridge provides them. Files that cannot be
// read have none.
std::vector<UnresolvedSymbol> FindUnresolved(
    const absl::flat_hash_map<std::string, bool>& undefined, absl::Span<const std::string> paths);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_UNRESOLVED_SYMBOLS_H_
