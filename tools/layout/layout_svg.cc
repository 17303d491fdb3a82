#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/tools/layout/layout_forms.h"
#include "callbridge/tools/layout/layout_geometry.h"
#include "callbridge/tools/layout/svg_canvas.h"

namespace callbridge {
namespace {

constexpr int kMargin = 28;
constexpr int kTitleLine = 22;
constexpr int kTitleHeight = 3 * kTitleLine + 12;
constexpr int kPlanGap = 44;

// Draws text in a row, `x` right of its left edge.
void RowText(absl::string_view type, const Box& row, int x, absl::string_view text,
             SvgCanvas* canvas) {
  constexpr int kBaseLine = (kRowHeight + kFontSize * 7 / 10) / 2;
  canvas->Text(type, row.x + x, row.y + kBaseLine, text);
}

class PlanPainter {
 public:
  PlanPainter(const LayoutPlan& plan, const PlanGeometry& geometry, SvgCanvas* canvas)
      : plan_(plan), geometry_(geometry), canvas_(canvas) {}

  void Paint() {
    for (size_t i = 0; i < plan_.tables.size(); ++i) PaintTable(i);
    for (size_t i = 0; i < plan_.parameters.size(); ++i) PaintParameter(i);
  }

 private:
  void PaintTable(size_t i) {
    const LayoutTable& table = plan_.tables[i];
    const Box& box = geometry_.tables[i];
    canvas_->Rectangle("body", box);
    canvas_->Rectangle("header", HeaderBox(box));
    RowText("head", HeaderBox(box), kPadding, HeaderText(table), canvas_);
    for (size_t slot = 0; slot < table.slots.size(); ++slot) PaintSlot(i, slot);
    canvas_->Rectangle("frame", box);
  }

  void PaintSlot(size_t table, size_t i) {
    const LayoutSlot& slot = plan_.tables[table].slots[i];
    const TableColumns& columns = geometry_.columns[table];
    const Box row = SlotBox(geometry_.tables[table], i);
    const int cell = columns.name - kPadding;
    canvas_->Rectangle(slot.is_result ? "result" : "operand", {row.x, row.y, cell, row.height});
    if (i != 0) canvas_->Line(row);
    RowText("index", row, kPadding, IndexText(i), canvas_);
    RowText("offset", row, cell - kPadding, OffsetText(i), canvas_);
    RowText("name", row, columns.name, slot.name, canvas_);
    PaintPointee(slot, row, columns.target);
  }

  void PaintPointee(const LayoutSlot& slot, const Box& row, int x) {
    if (slot.table.has_value()) {
      canvas_->Arrow(row, HeaderBox(geometry_.tables[*slot.table]));
    } else {
      RowText("pointee", row, x, PointeeText(slot), canvas_);
    }
  }

  void PaintParameter(size_t i) {
    const LayoutParameter& parameter = plan_.parameters[i];
    const Box& box = geometry_.parameters[i];
    canvas_->Rectangle("body", box);
    canvas_->Rectangle("frame", box);
    RowText("name", box, kPadding, parameter.name, canvas_);
    if (parameter.slot.table.has_value()) {
      canvas_->Arrow(box, HeaderBox(geometry_.tables[*parameter.slot.table]));
    } else {
      PaintArray(parameter.slot, geometry_.arrays[i]);
      canvas_->Arrow(box, geometry_.arrays[i]);
    }
  }

  void PaintArray(const LayoutSlot& slot, const Box& box) {
    canvas_->Rectangle("result", box);
    canvas_->Rectangle("frame", box);
    RowText("name", box, kPadding, ArrayText(slot), canvas_);
  }

  const LayoutPlan& plan_;
  const PlanGeometry& geometry_;
  SvgCanvas* canvas_;
};

// Draws three lines.
void PaintTitle(const LayoutPlan& plan, int top, SvgCanvas* canvas) {
  canvas->Text("title", kMargin, top + kFontSize, plan.title);
  canvas->Text("callers", kMargin, top + kTitleLine + kFontSize, plan.callers);
  canvas->Text("signature", kMargin, top + 2 * kTitleLine + kFontSize, plan.signature);
}

int TitleWidth(const LayoutPlan& plan) {
  return std::max({TextWidth(plan.title), TextWidth(plan.callers), TextWidth(plan.signature)});
}

}  // namespace

std::string SvgOf(absl::Span<const LayoutPlan> plans) {
  SvgCanvas canvas;
  int top = kMargin;
  int right = 0;
  for (const LayoutPlan& plan : plans) {
    if (&plan != &plans.front()) top += kPlanGap;
    PaintTitle(plan, top, &canvas);
    const PlanGeometry geometry = ArrangePlan(plan, kMargin, top + kTitleHeight);
    PlanPainter(plan, geometry, &canvas).Paint();
    top = geometry.bottom;
    right = std::max({right, geometry.right, kMargin + TitleWidth(plan)});
  }
  return canvas.Document(right + kMargin, top + kMargin);
}

}  // namespace callbridge
