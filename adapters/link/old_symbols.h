// The symbols of XLA's registry and status functions that old object files link to, and
// callbridge's functions that serve them.
#ifndef CALLBRIDGE_ADAPTERS_LINK_OLD_SYMBOLS_H_
#define CALLBRIDGE_ADAPTERS_LINK_OLD_SYMBOLS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace callbridge {

struct OldSymbol {
  // As in an object file's symbol table.
  absl::string_view name;
  // The function in this process that an undefined reference to `name` is bound to.
  void* address;
};

// Static storage, in no particular order.
absl::Span<const OldSymbol> OldSymbols();

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_LINK_OLD_SYMBOLS_H_
