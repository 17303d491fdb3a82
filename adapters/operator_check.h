// Checks a call against the operator information that its site carries.
#ifndef CALLBRIDGE_ADAPTERS_OPERATOR_CHECK_H_
#define CALLBRIDGE_ADAPTERS_OPERATOR_CHECK_H_

#include "absl/status/status.h"
#include "callbridge/abi/call_site.h"
#include "callbridge/abi/operator_info.h"
#include "callbridge/adapters/target.h"

namespace callbridge {

// Returns OK if `site`, a call of `target`, is one that its operator information allows, or if it
// has none. Returns INVALID_ARGUMENT, which says what came and what is allowed, if the information
//   - is for other platforms;
//   - declares attributes, and the target is untyped;
//   - declares another number of operands or results;
//   - allows no such combination of types. The message names the nearest one: that from which the
//     fewest operands and results differ, of several the first one declared;
//   - declares no attribute of a name that the site has, or one of another type; or requires one
//     that the site lacks and that has no default;
// or if CheckOperatorInfo() does. The site's result may be a tuple of the declared results.
absl::Status CheckOperator(const CallSite& site, const Target& target);

}  // namespace callbridge

#endif  // CALLBRIDGE_ADAPTERS_OPERATOR_CHECK_H_
