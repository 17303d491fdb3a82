// Draws pointer tables as text, a line for each slot.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_TEXT_H_
#define CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_TEXT_H_

#include <string>

#include "callbridge/tools/layout/layout_plan.h"

namespace callbridge {

// Draws the tables of a plan: index, byte offset and name of each slot, and what it points to. A
// table is to the right of the slot that points to it, or below if it does not fit 100 columns.
std::string DrawingOf(const LayoutPlan& plan);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_TEXT_H_
