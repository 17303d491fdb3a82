#include <algorithm>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "callbridge/tools/layout/layout_forms.h"

namespace callbridge {
namespace {

constexpr size_t kMaxColumns = 100;
constexpr char kEdge[] = "│ ";
constexpr char kArrow[] = " ─▶ ";
constexpr char kBelow[] = "below";
constexpr size_t kEdgeColumns = 2;
constexpr size_t kArrowColumns = 4;

// Text with its number of columns, which differs from its bytes.
struct Text {
  std::string bytes;
  size_t columns = 0;

  void Append(absl::string_view text, size_t text_columns) {
    absl::StrAppend(&bytes, text);
    columns += text_columns;
  }
  void AppendAscii(absl::string_view text) { Append(text, text.size()); }
  void PadTo(size_t width) {
    if (columns < width) AppendAscii(std::string(width - columns, ' '));
  }
};

// The widths of a table's columns.
struct Widths {
  explicit Widths(const LayoutTable& table) {
    const size_t last = std::max<size_t>(table.slots.size(), 1) - 1;
    index = absl::StrCat(last).size() + 2;
    offset = absl::StrCat(last * kSlotBytes).size() + 1;
    for (const LayoutSlot& slot : table.slots) {
      name = std::max(name, slot.name.size());
      const size_t columns = slot.table.has_value() ? kArrowColumns + sizeof(kBelow) - 1
                                                    : 2 + PointeeText(slot).size();
      target = std::max(target, columns);
    }
  }

  size_t row() const { return kEdgeColumns + index + 1 + offset + 2 + name + target; }

  size_t index = 0;
  size_t offset = 0;
  size_t name = 0;
  size_t target = 0;
};

std::string RightAligned(absl::string_view text, size_t width) {
  return absl::StrCat(std::string(width - std::min(width, text.size()), ' '), text);
}

class Drawer {
 public:
  explicit Drawer(const LayoutPlan& plan) : plan_(plan) {}

  std::string Draw() && {
    for (const LayoutParameter& parameter : plan_.parameters) DrawParameter(parameter);
    while (!below_.empty()) {
      const size_t table = below_.front();
      below_.pop_front();
      EndLine();
      StartAt(plan_.tables[table].name);
      DrawTable(table, {std::string(line_.columns, ' '), line_.columns});
    }
    return std::move(text_);
  }

 private:
  void DrawParameter(const LayoutParameter& parameter) {
    // As wide as the longest name of its kind, so that `in` and `out` are aligned.
    const size_t width = plan_.tuple_layouts.empty() ? 0 : 3;
    std::string name = parameter.name;
    name.resize(std::max(width, name.size()), ' ');
    StartAt(name);
    if (parameter.slot.table.has_value()) {
      DrawTable(*parameter.slot.table, {std::string(line_.columns, ' '), line_.columns});
    } else {
      line_.AppendAscii(absl::StrCat(parameter.slot.name, "  ", PointeeText(parameter.slot)));
      EndLine();
    }
  }

  void StartAt(absl::string_view name) {
    line_.AppendAscii(name);
    line_.Append(kArrow, kArrowColumns);
  }

  // Draws from the current position; `margin` begins the lines after the first.
  void DrawTable(size_t number, const Text& margin) {
    const LayoutTable& table = plan_.tables[number];
    if (table.slots.empty()) {
      line_.AppendAscii("(empty)");
      EndLine();
    }
    const Widths widths(table);
    for (size_t i = 0; i < table.slots.size(); ++i) {
      if (i != 0) line_ = margin;
      const LayoutSlot& slot = table.slots[i];
      line_.Append(kEdge, kEdgeColumns);
      line_.AppendAscii(RightAligned(absl::StrCat("[", i, "]"), widths.index));
      line_.AppendAscii(" ");
      line_.AppendAscii(RightAligned(absl::StrCat("+", i * kSlotBytes), widths.offset));
      line_.AppendAscii(absl::StrCat("  ", slot.name));
      const bool is_last = i + 1 == table.slots.size();
      Text inner = margin;
      if (!is_last) inner.Append(kEdge, kEdgeColumns);
      DrawTarget(slot,
                 margin.columns + kEdgeColumns + widths.index + 1 + widths.offset + 2 + widths.name,
                 std::move(inner));
    }
  }

  // Draws what the slot points to, from column `at`.
  void DrawTarget(const LayoutSlot& slot, size_t at, Text margin) {
    line_.PadTo(at);
    if (!slot.table.has_value()) {
      line_.AppendAscii(absl::StrCat("  ", PointeeText(slot)));
      EndLine();
      return;
    }
    line_.Append(kArrow, kArrowColumns);
    const size_t start = line_.columns;
    if (start + Widths(plan_.tables[*slot.table]).row() <= kMaxColumns) {
      margin.PadTo(start);
      DrawTable(*slot.table, margin);
    } else {
      line_.AppendAscii(kBelow);
      EndLine();
      below_.push_back(*slot.table);
    }
  }

  void EndLine() {
    absl::StrAppend(&text_, line_.bytes, "\n");
    line_ = {};
  }

  const LayoutPlan& plan_;
  std::string text_;
  Text line_;
  // Tables that remain to be drawn at the left margin.
  std::deque<size_t> below_;
};

}  // namespace

std::string DrawingOf(const LayoutPlan& plan) { return Drawer(plan).Draw(); }

}  // namespace callbridge
