#include "callbridge/tools/layout/layout_geometry.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace callbridge {
namespace {

constexpr int kTableGap = 16;
constexpr int kColumnGap = 56;

int PaddedWidth(absl::string_view text) { return TextWidth(text) + 2 * kPadding; }

// Recursive: a table's position depends on that of the one that points to it.
class Arranger {
 public:
  Arranger(const LayoutPlan& plan, int left) : plan_(plan), left_(left) {
    geometry_.tables.resize(plan.tables.size());
    geometry_.columns.resize(plan.tables.size());
    for (const LayoutParameter& parameter : plan.parameters) MeasureParameter(parameter);
  }

  PlanGeometry Arrange(int top) && {
    geometry_.bottom = top - kTableGap;
    for (const LayoutParameter& parameter : plan_.parameters) {
      PlaceParameter(parameter, geometry_.bottom + kTableGap);
    }
    return std::move(geometry_);
  }

 private:
  void MeasureParameter(const LayoutParameter& parameter) {
    parameter_width_ = std::max(parameter_width_, PaddedWidth(parameter.name) + 2 * kPadding);
    if (parameter.slot.table.has_value()) {
      MeasureTable(*parameter.slot.table, 0);
    } else {
      Widen(0, PaddedWidth(ArrayText(parameter.slot)));
    }
  }

  void MeasureTable(size_t number, size_t depth) {
    const LayoutTable& table = plan_.tables[number];
    int name = 0;
    int target = kPadding;  // where an arrow starts
    for (const LayoutSlot& slot : table.slots) {
      name = std::max(name, TextWidth(slot.name));
      target = std::max(target, TextWidth(PointeeText(slot)));
    }
    TableColumns& columns = geometry_.columns[number];
    const size_t last = std::max<size_t>(table.slots.size(), 1) - 1;
    columns.name = PaddedWidth(IndexText(last)) + PaddedWidth(OffsetText(last));
    columns.target = columns.name + name + 2 * kPadding;
    Widen(depth, columns.target + target + kPadding);
    Widen(depth, PaddedWidth(HeaderText(table)));
    for (const LayoutSlot& slot : table.slots) {
      if (slot.table.has_value()) MeasureTable(*slot.table, depth + 1);
    }
  }

  void Widen(size_t depth, int width) {
    if (widths_.size() <= depth) widths_.resize(depth + 1);
    widths_[depth] = std::max(widths_[depth], width);
  }

  void PlaceParameter(const LayoutParameter& parameter, int y) {
    free_.assign(widths_.size(), y);
    geometry_.parameters.push_back({left_, y, parameter_width_, kRowHeight});
    const int x = left_ + parameter_width_ + kColumnGap;
    if (parameter.slot.table.has_value()) {
      geometry_.arrays.emplace_back();
      PlaceTable(*parameter.slot.table, 0, x, y);
    } else {
      geometry_.arrays.push_back({x, y, widths_[0], kRowHeight});
      Enclose(geometry_.arrays.back());
    }
  }

  void PlaceTable(size_t number, size_t depth, int x, int y) {
    const LayoutTable& table = plan_.tables[number];
    const int rows = static_cast<int>(table.slots.size()) + 1;
    const Box box = {x, std::max(y, free_[depth]), widths_[depth], rows * kRowHeight};
    geometry_.tables[number] = box;
    free_[depth] = box.bottom() + kTableGap;
    Enclose(box);
    for (size_t i = 0; i < table.slots.size(); ++i) {
      if (!table.slots[i].table.has_value()) continue;
      PlaceTable(*table.slots[i].table, depth + 1, box.right() + kColumnGap, SlotBox(box, i).y);
    }
  }

  void Enclose(const Box& box) {
    geometry_.right = std::max(geometry_.right, box.right());
    geometry_.bottom = std::max(geometry_.bottom, box.bottom());
  }

  const LayoutPlan& plan_;
  const int left_;
  PlanGeometry geometry_;
  int parameter_width_ = 0;
  // By depth: the width of the tables, and the first free position.
  std::vector<int> widths_;
  std::vector<int> free_;
};

}  // namespace

int TextWidth(absl::string_view text) {
  // Fonts have 0.55 (Consolas) to 0.602 (DejaVu Sans Mono, Menlo) of the font size.
  return static_cast<int>(text.size()) * kFontSize * 61 / 100;
}

std::string IndexText(size_t slot) { return absl::StrCat("[", slot, "]"); }

std::string OffsetText(size_t slot) { return absl::StrCat("+", slot * kSlotBytes); }

std::string HeaderText(const LayoutTable& table) {
  return absl::StrCat(table.name, table.slots.empty() ? " (empty)" : "");
}

std::string ArrayText(const LayoutSlot& slot) {
  return absl::StrCat(slot.name, " ", PointeeText(slot));
}

Box HeaderBox(const Box& table) { return {table.x, table.y, table.width, kRowHeight}; }

Box SlotBox(const Box& table, size_t slot) {
  return {table.x, table.y + static_cast<int>(slot + 1) * kRowHeight, table.width, kRowHeight};
}

PlanGeometry ArrangePlan(const LayoutPlan& plan, int left, int top) {
  return Arranger(plan, left).Arrange(top);
}

}  // namespace callbridge
