#include "callbridge/hlo/shape.h"

#include <algorithm>
#include <ostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/hlo/primitive_util.h"
#include "callbridge/hlo/status.h"

namespace xla {
inline namespace callbridge_v1 {

using internal::ElementAt;

Shape::Shape(const ShapeProto& proto)
    : element_type_(proto.element_type()),
      dimensions_(proto.dimensions().begin(), proto.dimensions().end()),
      dynamic_dimensions_(dimensions_.size(), false) {
  const int flags = std::min(proto.is_dynamic_dimension_size(), dimensions_size());
  for (int i = 0; i < flags; ++i) dynamic_dimensions_[i] = proto.is_dynamic_dimension(i);
  tuple_shapes_.reserve(proto.tuple_shapes_size());
  for (const ShapeProto& element : proto.tuple_shapes()) tuple_shapes_.emplace_back(element);
  if (proto.has_layout()) layout_ = Layout::CreateFromProto(proto.layout());
}

ShapeProto Shape::ToProto() const {
  ShapeProto proto;
  proto.set_element_type(element_type_);
  proto.mutable_dimensions()->Assign(dimensions_.begin(), dimensions_.end());
  proto.mutable_is_dynamic_dimension()->Assign(dynamic_dimensions_.begin(),
                                               dynamic_dimensions_.end());
  for (const Shape& element : tuple_shapes_) *proto.add_tuple_shapes() = element.ToProto();
  if (has_layout()) *proto.mutable_layout() = layout_->ToProto();
  return proto;
}

std::string Shape::ToString(bool print_layout) const {
  std::string text;
  if (IsTuple()) {
    absl::StrAppend(&text, "(");
    for (size_t i = 0; i < tuple_shapes_.size(); ++i) {
      if (i > 0) absl::StrAppend(&text, ", ");
      // XLA numbers every fifth element.
      if (i > 0 && i % 5 == 0) absl::StrAppend(&text, "/*index=", i, "*/");
      absl::StrAppend(&text, tuple_shapes_[i].ToString(print_layout));
    }
    absl::StrAppend(&text, ")");
    return text;
  }
  absl::StrAppend(&text, primitive_util::LowercasePrimitiveTypeName(element_type_), "[");
  for (size_t i = 0; i < dimensions_.size(); ++i) {
    absl::StrAppend(&text, i > 0 ? "," : "", dynamic_dimensions_[i] ? "<=" : "", dimensions_[i]);
  }
  absl::StrAppend(&text, "]");
  if (print_layout && has_layout()) {
    const std::string layout = layout_->ToString();
    if (layout != "{}") absl::StrAppend(&text, layout);
  }
  return text;
}

bool Shape::IsInteger() const {
  if (primitive_util::IsIntegralType(element_type_)) return true;
  return IsTuple() && std::any_of(tuple_shapes_.begin(), tuple_shapes_.end(),
                                  [](const Shape& element) { return element.IsInteger(); });
}

int64_t Shape::dimensions(int index) const { return ElementAt(dimensions_, index, "dimension"); }

void Shape::set_dimensions(int index, int64_t value) {
  ElementAt(dimensions_, index, "dimension") = value;
}

int64_t Shape::dimensions_minor(int index) const {
  return ElementAt(dimensions_, layout().minor_to_major(index), "dimension");
}

void Shape::set_dimensions_minor(int index, int64_t value) {
  ElementAt(dimensions_, layout().minor_to_major(index), "dimension") = value;
}

void Shape::DeleteDimension(int64_t dimension) {
  ElementAt(dimensions_, dimension, "dimension");
  dimensions_.erase(dimensions_.begin() + dimension);
  dynamic_dimensions_.erase(dynamic_dimensions_.begin() + dimension);
  if (!has_layout()) return;
  DimensionVector& order = *layout_->mutable_minor_to_major();
  order.erase(std::remove(order.begin(), order.end(), dimension), order.end());
  for (int64_t& number : order) number -= number > dimension;
}

bool Shape::is_static() const {
  if (IsTuple()) {
    return std::all_of(tuple_shapes_.begin(), tuple_shapes_.end(),
                       [](const Shape& element) { return element.is_static(); });
  }
  return std::find(dynamic_dimensions_.begin(), dynamic_dimensions_.end(), true) ==
         dynamic_dimensions_.end();
}

bool Shape::is_dynamic_dimension(int index) const {
  return ElementAt(dynamic_dimensions_, index, "dimension");
}

void Shape::set_dynamic_dimension(int index, bool is_dynamic) {
  ElementAt(dynamic_dimensions_, index, "dimension") = is_dynamic;
}

const Shape& Shape::tuple_shapes(int index) const {
  return ElementAt(tuple_shapes_, index, "tuple element");
}

Shape* Shape::mutable_tuple_shapes(int index) {
  return &ElementAt(tuple_shapes_, index, "tuple element");
}

const Layout& Shape::layout() const {
  if (!has_layout()) internal::Die(absl::StrCat("the shape ", ToString(), " has no layout"));
  return *layout_;
}

Layout* Shape::mutable_layout() {
  if (!IsArray()) {
    internal::Die(absl::StrCat("expected an array, which has a layout; got ", ToString()));
  }
  if (!has_layout()) layout_.emplace();
  return &*layout_;
}

bool Shape::Equal::operator()(const Shape& left, const Shape& right) const {
  if (left.IsTuple()) {
    return right.IsTuple() &&
           std::equal(left.tuple_shapes_.begin(), left.tuple_shapes_.end(),
                      right.tuple_shapes_.begin(), right.tuple_shapes_.end(), *this);
  }
  if (!left.IsArray() || !right.IsArray()) return left.element_type_ == right.element_type_;
  if (!ignore_element_type_ && left.element_type_ != right.element_type_) {
    if (!ignore_fp_precision_ || !primitive_util::IsFloatingPointType(left.element_type_) ||
        !primitive_util::IsFloatingPointType(right.element_type_)) {
      return false;
    }
  }
  if (ignore_dimensions_ ? left.rank() != right.rank() : left.dimensions_ != right.dimensions_) {
    return false;
  }
  if (!ignore_layout_) {
    if (left.has_layout() != right.has_layout()) return false;
    if (left.has_layout() && !layout_equal_(*left.layout_, *right.layout_)) return false;
  }
  return ignore_dynamic_dimension_ || left.dynamic_dimensions_ == right.dynamic_dimensions_;
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.ToString(/*print_layout=*/true);
}

// ---- ProgramShape -------------------------------------------------------------------------------

ProgramShape::ProgramShape(const ProgramShapeProto& proto)
    : parameter_names_(proto.parameter_names().begin(), proto.parameter_names().end()),
      result_(proto.result()) {
  for (const ShapeProto& parameter : proto.parameters()) parameters_.emplace_back(parameter);
}

ProgramShapeProto ProgramShape::ToProto() const {
  ProgramShapeProto proto;
  for (const Shape& parameter : parameters_) *proto.add_parameters() = parameter.ToProto();
  *proto.mutable_result() = result_.ToProto();
  for (const std::string& name : parameter_names_) proto.add_parameter_names(name);
  return proto;
}

std::string ProgramShape::ToString() const {
  std::string text = "(";
  for (size_t i = 0; i < parameters_.size(); ++i) {
    absl::StrAppend(&text, i > 0 ? ", " : "",
                    i < parameter_names_.size() ? parameter_names_[i] : "(unknown)", ": ",
                    parameters_[i].ToString());
  }
  return absl::StrCat(text, ") -> ", result_.ToString());
}

const Shape& ProgramShape::parameters(int index) const {
  return ElementAt(parameters_, index, "parameter");
}

Shape* ProgramShape::mutable_parameters(int index) {
  return &ElementAt(parameters_, index, "parameter");
}

const std::string& ProgramShape::parameter_names(int index) const {
  return ElementAt(parameter_names_, index, "parameter name");
}

std::string* ProgramShape::mutable_parameter_names(int index) {
  return &ElementAt(parameter_names_, index, "parameter name");
}

void ProgramShape::set_parameter_names(int index, const std::string& value) {
  ElementAt(parameter_names_, index, "parameter name") = value;
}

std::ostream& operator<<(std::ostream& out, const ProgramShape& shape) {
  return out << shape.ToString();
}

// ---- ShapeIndex ---------------------------------------------------------------------------------

std::string ShapeIndex::ToString() const {
  return absl::StrCat("{", absl::StrJoin(*this, ","), "}");
}

std::ostream& operator<<(std::ostream& out, const ShapeIndex& index) {
  return out << index.ToString();
}

}  // namespace callbridge_v1
}  // namespace xla
