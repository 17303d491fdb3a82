// Declarations in C, to paste into a target: a pointer of the right type for each table and array.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_DECLARATIONS_H_
#define CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_DECLARATIONS_H_

#include <string>
#include <vector>

#include "callbridge/tools/layout/layout_plan.h"

namespace callbridge {

// One line each, in preorder; C99 and C++. What holds nothing to point to, a token or an empty
// tuple, has a comment instead. The first line names the headers that the types need, if any.
std::vector<std::string> DeclarationsOf(const LayoutPlan& plan);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_DECLARATIONS_H_
