#include "callbridge/tools/layout/layout_declarations.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/tools/layout/c_type.h"

namespace callbridge {
namespace {

struct Line {
  std::string code;
  std::string comment;
};

// `TYPE* name = (TYPE*)value;`
std::string PointerCode(absl::string_view type, absl::string_view name, absl::string_view value) {
  return absl::StrCat(type, "* ", name, " = (", type, "*)", value, ";");
}

// `TYPE (*name)[2] = (TYPE (*)[2])value;`
std::string PairPointerCode(absl::string_view type, absl::string_view name,
                            absl::string_view value) {
  return absl::StrCat(type, " (*", name, ")[2] = (", type, " (*)[2])", value, ";");
}

class Declarer {
 public:
  explicit Declarer(const LayoutPlan& plan) : plan_(plan) {}

  std::vector<Line> Lines() && {
    for (const LayoutParameter& parameter : plan_.parameters) {
      if (parameter.slot.name == parameter.name) {
        DeclareSlots(plan_.tables[*parameter.slot.table]);
      } else {
        Declare(parameter.slot, parameter.name);
      }
    }
    if (!headers_.empty()) {
      lines_.insert(lines_.begin(), {"", absl::StrCat("needs ", absl::StrJoin(headers_, ", "))});
    }
    return std::move(lines_);
  }

 private:
  // `value` is the expression that the pointer is read from: "p0[1]".
  void Declare(const LayoutSlot& slot, const std::string& value) {
    if (slot.table.has_value()) {
      DeclareTable(slot, value);
    } else if (slot.shape->IsToken()) {
      lines_.push_back({"", absl::StrCat(value, " is ", slot.name, ", a token without a buffer")});
    } else {
      DeclareArray(slot, value);
    }
  }

  void DeclareTable(const LayoutSlot& slot, const std::string& value) {
    const LayoutTable& table = plan_.tables[*slot.table];
    if (table.slots.empty()) {
      lines_.push_back({"", absl::StrCat(value, " is ", slot.name, ", an empty tuple")});
      return;
    }
    lines_.push_back(
        {PointerCode(slot.is_result ? "void*" : "const void* const", slot.name, value), ""});
    DeclareSlots(table);
  }

  void DeclareSlots(const LayoutTable& table) {
    for (size_t i = 0; i < table.slots.size(); ++i) {
      Declare(table.slots[i], absl::StrCat(table.name, "[", i, "]"));
    }
  }

  void DeclareArray(const LayoutSlot& slot, const std::string& value) {
    const CType& type = CTypeOf(slot.shape->element_type());
    if (!type.header.empty()) headers_.insert(type.header);
    const std::string qualified = absl::StrCat(slot.is_result ? "" : "const ", type.name);
    lines_.push_back(
        {type.is_complex ? PairPointerCode(qualified, slot.name, value)
                         : PointerCode(qualified, slot.name, value),
         absl::StrCat(ShapeText(*slot.shape), type.remark.empty() ? "" : ", ", type.remark)});
  }

  const LayoutPlan& plan_;
  std::vector<Line> lines_;
  std::set<absl::string_view> headers_;
};

// Returns the column of the comments: after the longest line, ignoring lines that are much longer.
size_t CommentColumn(const std::vector<Line>& lines) {
  constexpr size_t kLong = 64;
  size_t column = 0;
  for (const Line& line : lines) {
    if (line.code.size() <= kLong) column = std::max(column, line.code.size());
  }
  return column + 2;
}

}  // namespace

std::vector<std::string> DeclarationsOf(const LayoutPlan& plan) {
  const std::vector<Line> lines = Declarer(plan).Lines();
  const size_t column = CommentColumn(lines);
  std::vector<std::string> texts;
  for (const auto& [code, comment] : lines) {
    std::string text = code;
    if (!code.empty() && !comment.empty()) {
      text.append(column > code.size() ? column - code.size() : 2, ' ');
    }
    if (!comment.empty()) absl::StrAppend(&text, "// ", comment);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace callbridge
