// Custom calls that are no calls: XLA puts notes to its own passes into this form.
#ifndef CALLBRIDGE_HLO_XLA_OWN_CALLS_H_
#define CALLBRIDGE_HLO_XLA_OWN_CALLS_H_

#include "absl/strings/string_view.h"

namespace callbridge::hlo {

// True for the targets that XLA's passes know by name and replace, so that nobody registers them:
// "Sharding", "LayoutConstraint", "xla.sdy.FuncResultSharding"... They are untyped on every XLA.
bool IsXlasOwnCall(absl::string_view target);

}  // namespace callbridge::hlo

#endif  // CALLBRIDGE_HLO_XLA_OWN_CALLS_H_
