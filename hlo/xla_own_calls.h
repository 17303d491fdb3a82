// Custom calls of XLA's own: its passes know them by name, and nobody registers a target for them.
#ifndef CALLBRIDGE_HLO_XLA_OWN_CALLS_H_
#define CALLBRIDGE_HLO_XLA_OWN_CALLS_H_

#include "absl/strings/string_view.h"

namespace callbridge::hlo {

// True for the targets of xla_own_calls.inc: "Sharding", "Qr", "xla.sdy.FuncResultSharding"... They
// are untyped on every XLA.
bool IsXlasOwnCall(absl::string_view target);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_XLA_OWN_CALLS_H_
