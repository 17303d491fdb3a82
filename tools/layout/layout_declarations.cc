#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/primitive_type.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/tools/layout/layout_forms.h"

namespace callbridge {
namespace {

// ---- The C types of array elements

// Valid in C99 and C++.
struct CType {
  // "float". For complex types, the type of one part: an element is an array of two. For types that
  // C lacks, an integer that holds the bits.
  absl::string_view name;
  bool is_complex;
  // The header that declares it; empty if it needs none.
  absl::string_view header;
  // What the type's name does not say about the elements; empty if nothing.
  absl::string_view remark;
};

constexpr absl::string_view kStdint = "<stdint.h>";

constexpr CType Plain(absl::string_view name) { return {name, false, "", ""}; }
constexpr CType Complex(absl::string_view part) { return {part, true, "", "{real, imaginary}"}; }
constexpr CType Integer(absl::string_view name) { return {name, false, kStdint, ""}; }
constexpr CType BitsIn(absl::string_view name) { return {name, false, kStdint, "as bits"}; }
constexpr CType Packed(absl::string_view remark) { return {"uint8_t", false, kStdint, remark}; }

constexpr CType kBool = {"bool", false, "<stdbool.h>", ""};
constexpr CType kS8 = Integer("int8_t");
constexpr CType kS16 = Integer("int16_t");
constexpr CType kS32 = Integer("int32_t");
constexpr CType kS64 = Integer("int64_t");
constexpr CType kU8 = Integer("uint8_t");
constexpr CType kU16 = Integer("uint16_t");
constexpr CType kU32 = Integer("uint32_t");
constexpr CType kU64 = Integer("uint64_t");
constexpr CType kF32 = Plain("float");
constexpr CType kF64 = Plain("double");
constexpr CType kC64 = Complex("float");
constexpr CType kC128 = Complex("double");
constexpr CType kBits8 = BitsIn("uint8_t");
constexpr CType kBits16 = BitsIn("uint16_t");
constexpr CType kEighths = Packed("8 to a byte, lowest bit first");
constexpr CType kQuarters = Packed("4 to a byte, lowest bits first");
constexpr CType kHalves = Packed("2 to a byte, lowest bits first");

// For types that C lacks: small floats, and packed elements of less than a byte.
const CType& CTypeOfBits(int bits) {
  switch (bits) {
    case 1:
      return kEighths;
    case 2:
      return kQuarters;
    case 4:
      return kHalves;
    case 8:
      return kBits8;
    default:
      return kBits16;
  }
}

// `type` must be an array element.
const CType& CTypeOf(PrimitiveType type) {
  switch (type) {
    case PrimitiveType::kPred:
      return kBool;
    case PrimitiveType::kS8:
      return kS8;
    case PrimitiveType::kS16:
      return kS16;
    case PrimitiveType::kS32:
      return kS32;
    case PrimitiveType::kS64:
      return kS64;
    case PrimitiveType::kU8:
      return kU8;
    case PrimitiveType::kU16:
      return kU16;
    case PrimitiveType::kU32:
      return kU32;
    case PrimitiveType::kU64:
      return kU64;
    case PrimitiveType::kF32:
      return kF32;
    case PrimitiveType::kF64:
      return kF64;
    case PrimitiveType::kC64:
      return kC64;
    case PrimitiveType::kC128:
      return kC128;
    default:
      return CTypeOfBits(BitWidth(type));
  }
}

// ---- Declarations

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
