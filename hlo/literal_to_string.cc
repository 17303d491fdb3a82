// xla::Literal as XLA prints it.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/hlo/literal.h"
#include "callbridge/hlo/literal_element.h"

namespace xla {
inline namespace callbridge_v1 {
namespace {

using ::callbridge::hlo::ElementText;

struct Style {
  bool shape;
  bool layout;
  // Where the text of several lines has a line break; one line has a space there, and no indents.
  const char* new_line;
  const char* indent;
};
constexpr const char kBreak[] = "\n";
constexpr const char kSpace[] = " ";

class Printer {
 public:
  Printer(const LiteralBase& literal, const Style& style) : literal_(literal), style_(style) {}

  std::string Print() {
    PrintSubliteral(literal_.shape());
    return std::move(text_);
  }

 private:
  void PrintSubliteral(const Shape& shape) {
    if (shape.IsTuple()) return PrintTuple(shape);
    if (shape.IsToken()) {
      absl::StrAppend(&text_, "token");
      return;
    }
    if (style_.shape) absl::StrAppend(&text_, shape.ToString(style_.layout), " ");
    if (shape.IsArray()) PrintArray(shape);
  }

  void PrintTuple(const Shape& shape) {
    absl::StrAppend(&text_, "(", style_.new_line);
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      if (i > 0) absl::StrAppend(&text_, ",", style_.new_line);
      at_.push_back(i);
      PrintSubliteral(shape.tuple_shapes(i));
      at_.pop_back();
    }
    absl::StrAppend(&text_, style_.new_line, ")");
  }

  void PrintArray(const Shape& shape) {
    shape_ = &shape;
    width_ = primitive_util::ByteWidth(shape.element_type());
    data_ = static_cast<const char*>(literal_.untyped_data(at_));
    strides_.assign(static_cast<size_t>(shape.rank()), 0);
    int64_t stride = width_;
    for (const int64_t dimension : shape.layout().minor_to_major()) {
      strides_[static_cast<size_t>(dimension)] = stride;
      stride *= shape.dimensions()[static_cast<size_t>(dimension)];
    }
    PrintDimension(0, 0, 0);
  }

  // The part of the array in which the indices before `dimension` are those at `offset`, the last
  // of them `index`.
  void PrintDimension(size_t dimension, int64_t index, int64_t offset) {
    const auto rank = static_cast<size_t>(shape_->rank());
    if (dimension == rank) {
      // In lists XLA writes predicates as numbers.
      const bool number = shape_->element_type() == PRED && rank > 0;
      absl::StrAppend(&text_, number ? (data_[offset] != 0 ? "1" : "0")
                                     : ElementText(shape_->element_type(), data_ + offset));
      return;
    }
    const int64_t count = shape_->dimensions()[dimension];
    const bool innermost = dimension + 1 == rank;
    const bool spaced = innermost && rank > 1 && count > 1;
    absl::StrAppend(&text_, "{");
    if (rank > 3 && dimension > 0 && !innermost) {
      absl::StrAppend(&text_, " /*i", dimension - 1, "=", index, "*/");
    }
    absl::StrAppend(&text_, innermost ? (spaced ? " " : "") : style_.new_line);
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0) absl::StrAppend(&text_, ",", innermost ? kSpace : style_.new_line);
      if (dimension + 2 == rank) absl::StrAppend(&text_, style_.indent);
      PrintDimension(dimension + 1, i, offset + i * strides_[dimension]);
    }
    absl::StrAppend(&text_, innermost ? (spaced ? " " : "") : style_.new_line, "}");
  }

  const LiteralBase& literal_;
  const Style style_;
  std::string text_;
  ShapeIndex at_;
  // Of the array that is being printed.
  const Shape* shape_ = nullptr;
  int width_ = 0;
  const char* data_ = nullptr;
  // In bytes.
  std::vector<int64_t> strides_;
};

}  // namespace

std::string LiteralBase::ToString() const {
  return Printer(*this, {true, false, kBreak, "  "}).Print();
}

std::string LiteralBase::ToStringOneline() const {
  return Printer(*this, {true, false, kSpace, ""}).Print();
}

std::string LiteralBase::ToStringWithoutShape() const {
  return Printer(*this, {false, false, kBreak, "  "}).Print();
}

std::string LiteralBase::ToStringWithoutShapeOneline() const {
  return Printer(*this, {false, false, kSpace, ""}).Print();
}

std::string LiteralBase::ToStringWithLayout() const {
  return Printer(*this, {true, true, kBreak, "  "}).Print();
}

std::string LiteralBase::ToStringWithLayoutOneline() const {
  return Printer(*this, {true, true, kSpace, ""}).Print();
}

std::string LiteralBase::GetAsString(absl::Span<const int64_t> index,
                                     const ShapeIndex& shape_index) const {
  const PrimitiveType type = ShapeUtil::GetSubshape(shape(), shape_index).element_type();
  const int64_t linear = LinearIndex(index, shape_index);
  const auto* data = static_cast<const char*>(CheckedData(type, shape_index));
  return ElementText(type, data + linear * primitive_util::ByteWidth(type));
}

std::string LiteralBase::GetR1U8AsString() const {
  const absl::Span<const uint8_t> bytes = data<uint8_t>();
  return std::string(bytes.begin(), bytes.end());
}

std::optional<int64_t> LiteralBase::GetIntegralAsS64(absl::Span<const int64_t> index) const {
  const PrimitiveType type = shape().element_type();
  const auto* data = static_cast<const char*>(CheckedData(type, {}));
  return ::callbridge::hlo::ElementAsInt64(
      type, data + LinearIndex(index, {}) * primitive_util::ByteWidth(type));
}

std::optional<double> LiteralBase::GetAsDouble(absl::Span<const int64_t> index) const {
  const PrimitiveType type = shape().element_type();
  const auto* data = static_cast<const char*>(CheckedData(type, {}));
  return ::callbridge::hlo::ElementAsDouble(
      type, data + LinearIndex(index, {}) * primitive_util::ByteWidth(type));
}

}  // namespace callbridge_v1
}  // namespace xla
