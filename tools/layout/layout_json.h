// Layout plans for programs to read.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_JSON_H_
#define CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_JSON_H_

#include <string>

#include "absl/types/span.h"
#include "callbridge/tools/layout/layout_plan.h"

namespace callbridge {

// One object on one line: `layouts`, each with its parameters, tables and declarations. Tables are
// referred to by their number in the list.
std::string JsonOf(absl::Span<const LayoutPlan> plans);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_JSON_H_
