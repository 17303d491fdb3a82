#include <ostream>

#include "absl/strings/str_cat.h"
#include "callbridge/hlo/element_at.h"
#include "callbridge/hlo/shape.h"

namespace xla {
inline namespace callbridge_v1 {

using ::callbridge::hlo::ElementAt;

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

}  // namespace callbridge_v1
}  // namespace xla
