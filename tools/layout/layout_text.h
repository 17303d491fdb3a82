// Pointer tables for the terminal, a line for each slot.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_TEXT_H_
#define CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_TEXT_H_

#include <string>

#include "callbridge/tools/layout/layout_plan.h"

namespace callbridge {

// The tables of a plan: index, byte offset and name of each slot, and what it points to. A table
// stands to the right of the slot that points to it; where 100 columns are too few, below.
std::string DrawingOf(const LayoutPlan& plan);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_TEXT_H_
