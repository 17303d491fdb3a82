// xla::Literal element by element: copies, comparisons and texts.
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "callbridge/hlo/literal.h"
#include "callbridge/hlo/literal_text.h"

namespace xla {
inline namespace callbridge_v1 {
namespace {

// Returns, for each dimension, the distance in elements between two neighbours.
std::vector<int64_t> StridesOf(const Shape& array) {
  std::vector<int64_t> strides(static_cast<size_t>(array.rank()));
  int64_t stride = 1;
  for (const int64_t dimension : array.layout().minor_to_major()) {
    strides[static_cast<size_t>(dimension)] = stride;
    stride *= array.dimensions()[static_cast<size_t>(dimension)];
  }
  return strides;
}

// Calls fn(index, linear, other_linear) for each element of two arrays of equal dimensions, the
// last index varying fastest, until it returns false.
void ForEachElement(const Shape& array, const Shape& other,
                    absl::FunctionRef<bool(absl::Span<const int64_t>, int64_t, int64_t)> fn) {
  const std::vector<int64_t> strides = StridesOf(array);
  const std::vector<int64_t> other_strides = StridesOf(other);
  const absl::Span<const int64_t> dimensions = array.dimensions();
  std::vector<int64_t> index(dimensions.size());
  int64_t linear = 0;
  int64_t other_linear = 0;
  for (int64_t left = ShapeUtil::ElementsIn(array); left > 0; --left) {
    if (!fn(index, linear, other_linear)) return;
    for (size_t d = dimensions.size(); d-- > 0;) {
      linear += strides[d];
      other_linear += other_strides[d];
      if (++index[d] < dimensions[d]) break;
      linear -= strides[d] * dimensions[d];
      other_linear -= other_strides[d] * dimensions[d];
      index[d] = 0;
    }
  }
}

bool SameElements(const Shape& left_shape, const void* left_data, const Shape& right_shape,
                  const void* right_data) {
  const auto* left = static_cast<const char*>(left_data);
  const auto* right = static_cast<const char*>(right_data);
  const size_t width = static_cast<size_t>(primitive_util::ByteWidth(left_shape.element_type()));
  // A target may leave anything in the other bits of a sub-byte element.
  const int bits = primitive_util::BitWidth(left_shape.element_type());
  if (bits >= 8 && left_shape.layout().minor_to_major() == right_shape.layout().minor_to_major()) {
    const size_t bytes = static_cast<size_t>(ShapeUtil::ElementsIn(left_shape)) * width;
    return bytes == 0 || std::memcmp(left, right, bytes) == 0;
  }
  bool same = true;
  ForEachElement(
      left_shape, right_shape, [&](absl::Span<const int64_t>, int64_t at, int64_t other_at) {
        const char* const a = left + at * width;
        const char* const b = right + other_at * width;
        same = bits < 8 ? ((*a ^ *b) & ((1 << bits) - 1)) == 0 : std::memcmp(a, b, width) == 0;
        return same;
      });
  return same;
}

void CopyElements(const Shape& from_shape, const void* from_data, const Shape& to_shape,
                  void* to_data) {
  const auto* from = static_cast<const char*>(from_data);
  auto* to = static_cast<char*>(to_data);
  const size_t width = static_cast<size_t>(primitive_util::ByteWidth(to_shape.element_type()));
  if (from_shape.layout().minor_to_major() == to_shape.layout().minor_to_major()) {
    const size_t bytes = static_cast<size_t>(ShapeUtil::ElementsIn(to_shape)) * width;
    if (bytes != 0) std::memmove(to, from, bytes);
    return;
  }
  ForEachElement(from_shape, to_shape, [&](absl::Span<const int64_t>, int64_t at, int64_t to_at) {
    std::memcpy(to + to_at * width, from + at * width, width);
    return true;
  });
}

}  // namespace

void LiteralBase::EachIndex(absl::FunctionRef<void(absl::Span<const int64_t>, int64_t)> fn) const {
  ForEachElement(shape(), shape(), [&](absl::Span<const int64_t> index, int64_t linear, int64_t) {
    fn(index, linear);
    return true;
  });
}

bool LiteralBase::operator==(const LiteralBase& other) const {
  if (!ShapeUtil::Compatible(shape(), other.shape())) return false;
  bool same = true;
  ShapeUtil::ForEachSubshape(shape(), [&](const Shape& subshape, const ShapeIndex& index) {
    if (!same || !subshape.IsArray()) return;
    same = SameElements(subshape, untyped_data(index), ShapeUtil::GetSubshape(other.shape(), index),
                        other.untyped_data(index));
  });
  return same;
}

Status MutableLiteralBase::CopyFrom(const LiteralSlice& source, const ShapeIndex& dest_shape_index,
                                    const ShapeIndex& src_shape_index) {
  TF_ASSIGN_OR_RETURN(const Shape* to, ShapeUtil::TryGetSubshape(shape(), dest_shape_index));
  TF_ASSIGN_OR_RETURN(const Shape* from,
                      ShapeUtil::TryGetSubshape(source.shape(), src_shape_index));
  if (!ShapeUtil::Compatible(*to, *from)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected elements of the shape ", to->ToString(), " to copy; got ", from->ToString()));
  }
  const LiteralSlice from_part(source, src_shape_index);
  const LiteralSlice to_part(*this, dest_shape_index);
  ShapeUtil::ForEachSubshape(*to, [&](const Shape& subshape, const ShapeIndex& index) {
    if (!subshape.IsArray()) return;
    CopyElements(ShapeUtil::GetSubshape(*from, index), from_part.untyped_data(index), subshape,
                 const_cast<void*>(to_part.untyped_data(index)));
  });
  return OkStatus();
}

Literal LiteralBase::Clone() const {
  Literal clone(shape());
  TF_CHECK_OK(clone.CopyFrom(*this));
  return clone;
}

std::unique_ptr<Literal> LiteralBase::CloneToUnique() const {
  return std::make_unique<Literal>(Clone());
}

Literal LiteralBase::Relayout(const Shape& shape_with_layout) const {
  Literal literal(shape_with_layout);
  TF_CHECK_OK(literal.CopyFrom(*this));
  return literal;
}

Literal LiteralBase::Relayout(const Layout& layout, const ShapeIndex& shape_index) const {
  Shape new_shape = shape();
  *ShapeUtil::GetMutableSubshape(&new_shape, shape_index)->mutable_layout() = layout;
  return Relayout(new_shape);
}

// ---- Texts --------------------------------------------------------------------------------------

namespace {

using ::callbridge::hlo::ElementText;

struct Style {
  bool shape;
  bool layout;
  // The separator of lines: a line break, or a space for text of one line, which has no indents.
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

  // Prints the part of the array at `offset` that the dimensions from `dimension` on span. `index`
  // is the last index before `dimension`.
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
