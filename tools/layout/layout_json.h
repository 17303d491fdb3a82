// Prints layout plans as JSON.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_JSON_H_
#define CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_JSON_H_

#include <string>

#include "absl/types/span.h"
#include "callbridge/tools/layout/layout_plan.h"

namespace callbridge {

// Returns one object on one line: `layouts`, each with its parameters, tables and declarations.
// Refers to tables by their index in the list.
std::string JsonOf(absl::Span<const LayoutPlan> plans);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_JSON_H_
