// Writes C declarations to paste into a target: a pointer of the right type for each table and
// array.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_DECLARATIONS_H_
#define CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_DECLARATIONS_H_

#include <string>
#include <vector>

#include "callbridge/tools/layout/layout_plan.h"

namespace callbridge {

// Returns one line for each, in preorder, valid in C99 and C++. A token or an empty tuple, which
// has nothing to point to, gets a comment. The first line names the headers that the types need, if
// any.
std::vector<std::string> DeclarationsOf(const LayoutPlan& plan);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_DECLARATIONS_H_
