// Computes the boxes of a picture of pointer tables.
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

// Returns the width of monospaced ASCII text, in the widest of the usual fonts.
int TextWidth(absl::string_view text);

// The texts that boxes have room for, besides names and PointeeText().
std::string IndexText(size_t slot);
std::string OffsetText(size_t slot);
std::string HeaderText(const LayoutTable& table);
std::string ArrayText(const LayoutSlot& slot);  // for a slot that a parameter points to

struct Box {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  int right() const { return x + width; }
  int bottom() const { return y + height; }
};

// A table's header is its first row; the slots follow.
Box HeaderBox(const Box& table);
Box SlotBox(const Box& table, size_t slot);

// The offsets of a table's columns from its left edge.
struct TableColumns {
  int name = 0;    // after the index and the offset
  int target = 0;  // after the name: what the slot points to
};

struct PlanGeometry {
  std::vector<Box> parameters;        // as many as in the plan
  std::vector<Box> arrays;            // for each parameter that points to no table; else empty
  std::vector<Box> tables;            // as many as in the plan
  std::vector<TableColumns> columns;  // likewise
  int right = 0;
  int bottom = 0;
};

// A table's column is the number of pointers that lead to it. Each table is beside the slot that
// points to it, or below, so that arrows go right and down and never cross.
PlanGeometry ArrangePlan(const LayoutPlan& plan, int left, int top);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_LAYOUT_LAYOUT_GEOMETRY_H_
