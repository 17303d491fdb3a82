// What old object files link to: the upstream names of the registry and of the status functions,
// with the functions of ours that stand in for them.
#ifndef CALLBRIDGE_ADAPTERS_LINK_OLD_SYMBOLS_H_
#define CALLBRIDGE_ADAPTERS_LINK_OLD_SYMBOLS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace callbridge {

struct OldSymbol {
  // As it stands in an object file's symbol table.
  absl::string_view name;
  // The function in this process that an undefined reference to `name` is bound to.
  void* address;
};

// In no particular order; static storage.
absl::Span<const OldSymbol> OldSymbols();

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_LINK_OLD_SYMBOLS_H_
