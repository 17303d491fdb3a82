// Draws pointer tables as an SVG picture: boxes and arrows.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_SVG_H_
#define CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_SVG_H_

#include <string>

#include "absl/types/span.h"
#include "callbridge/tools/layout/layout_plan.h"

namespace callbridge {

// Returns a complete document on white, with the plans one below the other. It needs no other file.
std::string SvgOf(absl::Span<const LayoutPlan> plans);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_SVG_H_
