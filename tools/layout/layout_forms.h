// The forms in which `callbridge layout` shows plans: drawings, of text or SVG, and C declarations.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_FORMS_H_
#define CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_FORMS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "callbridge/tools/layout/layout_plan.h"

namespace callbridge {

// Draws the tables of a plan: index, byte offset and name of each slot, and what it points to. A
// table is to the right of the slot that points to it, or below if it does not fit 100 columns.
std::string DrawingOf(const LayoutPlan& plan);

// Returns C declarations to paste into a target, a pointer of the right type for each table and
// array: one line for each, in preorder, valid in C99 and C++. A token or an empty tuple, which has
// nothing to point to, gets a comment. The first line names the headers that the types need, if
// any.
std::vector<std::string> DeclarationsOf(const LayoutPlan& plan);

// Draws the tables as boxes and arrows. Returns a complete SVG document on white, with the plans
// one below the other. It needs no other file.
std::string SvgOf(absl::Span<const LayoutPlan> plans);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_FORMS_H_
