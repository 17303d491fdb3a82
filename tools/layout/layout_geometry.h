// Where the boxes of a picture of pointer tables are.
#ifndef CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_GEOMETRY_H_
#define CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_GEOMETRY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "callbridge/tools/layout/layout_plan.h"

namespace callbridge {

// Pixels.
inline constexpr int kFontSize = 13;
inline constexpr int kRowHeight = 24;
inline constexpr int kPadding = 10;

// Of monospaced ASCII; the widest of the usual fonts counts.
int TextWidth(absl::string_view text);

// The texts that boxes are made to hold, but for names and PointeeText().
std::string IndexText(size_t slot);
std::string OffsetText(size_t slot);
std::string HeaderText(const LayoutTable& table);
std::string ArrayText(const LayoutSlot& slot);  // of one that a parameter points to

struct Box {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  int right() const { return x + width; }
  int bottom() const { return y + height; }
};

// A table's header is its first row, the slots follow.
Box HeaderBox(const Box& table);
Box SlotBox(const Box& table, size_t slot);

// Where the columns of a table's text begin, right of its left edge.
struct TableColumns {
  int name = 0;    // behind the index and the offset
  int target = 0;  // behind the name: what the slot points to
};

struct PlanGeometry {
  std::vector<Box> parameters;        // as many as the plan's
  std::vector<Box> arrays;            // of each parameter that points to no table; else empty
  std::vector<Box> tables;            // as many as the plan's
  std::vector<TableColumns> columns;  // likewise
  int right = 0;
  int bottom = 0;
};

// Tables stand in columns by how many pointers lead to them, each beside the slot that points to it
// or below that, so that arrows go right and down, and never cross.
PlanGeometry ArrangePlan(const LayoutPlan& plan, int left, int top);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_GEOMETRY_H_
