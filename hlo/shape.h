// xla::Shape, xla::ProgramShape and xla::ShapeIndex, as old code uses them. The rest of callbridge
// uses callbridge::Shape (abi/shape.h). shape_proto.h converts between the two.
#ifndef CALLBRIDGE_HLO_SHAPE_H_
#define CALLBRIDGE_HLO_SHAPE_H_

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "callbridge/abi/exported.h"
#include "callbridge/hlo/layout.h"
#include "callbridge/hlo/xla_data_proto.h"

namespace xla {
inline namespace callbridge_v1 {

// The path from a shape to one of its subshapes: the element to take of each tuple, outermost
// first.
// {} is the shape itself.
struct CALLBRIDGE_EXPORTED ShapeIndex : public absl::InlinedVector<int64_t, 2> {
  using InlinedVector::InlinedVector;
  ShapeIndex() = default;
  explicit ShapeIndex(absl::Span<const int64_t> view) : ShapeIndex(view.begin(), view.end()) {}

  void push_front(int64_t value) { insert(begin(), value); }
  void pop_front() { erase(begin()); }

  // Returns a text such as "{1,0}".
  std::string ToString() const;
};
using ShapeIndexView = absl::Span<const int64_t>;

// Holds whatever a ShapeProto can hold. ShapeUtil::ValidateShape() checks that the shape is valid.
// An index out of range ends the process with a message.
class CALLBRIDGE_EXPORTED Shape {
 public:
  Shape() = default;
  explicit Shape(const ShapeProto& proto);
  Shape(PrimitiveType element_type, absl::Span<const int64_t> dimensions,
        absl::Span<const bool> dynamic_dimensions, std::vector<Shape> tuple_shapes)
      : element_type_(element_type),
        dimensions_(dimensions.begin(), dimensions.end()),
        dynamic_dimensions_(dynamic_dimensions.begin(), dynamic_dimensions.end()),
        tuple_shapes_(std::move(tuple_shapes)) {
    dynamic_dimensions_.resize(dimensions_.size());
  }

  ShapeProto ToProto() const;
  // Returns a text such as "f32[2,3]" or "(f32[], s32[4])", with layouts "f32[2,3]{1,0}".
  std::string ToString(bool print_layout = false) const;

  bool IsArray() const {
    return !IsTuple() && !IsToken() && !IsOpaque() && element_type_ != PRIMITIVE_TYPE_INVALID;
  }
  bool IsTuple() const { return element_type_ == TUPLE; }
  bool IsToken() const { return element_type_ == TOKEN; }
  bool IsOpaque() const { return element_type_ == OPAQUE_TYPE; }
  bool IsInteger() const;

  PrimitiveType element_type() const { return element_type_; }
  void set_element_type(PrimitiveType value) { element_type_ = value; }

  // The number of dimensions.
  int64_t rank() const { return static_cast<int64_t>(dimensions_.size()); }
  int dimensions_size() const { return static_cast<int>(dimensions_.size()); }
  absl::Span<const int64_t> dimensions() const { return dimensions_; }
  int64_t dimensions(int index) const;
  absl::Span<int64_t> mutable_dimensions() { return absl::MakeSpan(dimensions_); }
  void set_dimensions(int index, int64_t value);
  // The size of the dimension at place `index` of the layout, fastest-varying first.
  int64_t dimensions_minor(int index) const;
  void set_dimensions_minor(int index, int64_t value);
  void add_dimensions(int64_t value) {
    dimensions_.push_back(value);
    dynamic_dimensions_.push_back(false);
  }
  void clear_dimensions() {
    dimensions_.clear();
    dynamic_dimensions_.clear();
  }
  void DeleteDimension(int64_t dimension);

  // Returns true if no dimension is dynamic; of a tuple, if all its elements are static.
  bool is_static() const;
  bool is_dynamic() const { return !is_static(); }
  absl::Span<const bool> dynamic_dimensions() const { return dynamic_dimensions_; }
  bool is_dynamic_dimension(int index) const;
  void set_dynamic_dimension(int index, bool is_dynamic);

  int tuple_shapes_size() const { return static_cast<int>(tuple_shapes_.size()); }
  const std::vector<Shape>& tuple_shapes() const { return tuple_shapes_; }
  const Shape& tuple_shapes(int index) const;
  std::vector<Shape>* mutable_tuple_shapes() { return &tuple_shapes_; }
  Shape* mutable_tuple_shapes(int index);
  Shape* add_tuple_shapes() { return &tuple_shapes_.emplace_back(); }
  void clear_tuple_shapes() { tuple_shapes_.clear(); }

  bool has_layout() const { return layout_.has_value(); }
  const Layout& layout() const;
  Layout* mutable_layout();
  void clear_layout() { layout_.reset(); }

  void Swap(Shape* other) { std::swap(*this, *other); }
  void Clear() { *this = Shape(); }

  std::string SerializeAsString() const { return ToProto().SerializeAsString(); }
  std::string ShortDebugString() const { return ToProto().ShortDebugString(); }
  std::string DebugString() const { return ToProto().DebugString(); }

  // Compares shapes, except for the properties that are set to be ignored.
  class CALLBRIDGE_EXPORTED Equal {
   public:
    bool operator()(const Shape& left, const Shape& right) const;
    Equal& IgnoreLayout() {
      ignore_layout_ = true;
      return *this;
    }
    Equal& IgnoreTilesInLayout() {
      layout_equal_.IgnoreTiles();
      return *this;
    }
    Equal& IgnoreElementSizeInLayout() {
      layout_equal_.IgnoreElementSize();
      return *this;
    }
    Equal& IgnoreMemorySpaceInLayout() {
      layout_equal_.IgnoreMemorySpace();
      return *this;
    }
    Equal& MinorToMajorOnlyInLayout() {
      layout_equal_.MinorToMajorOnly();
      return *this;
    }
    Equal& IgnoreElementType() {
      ignore_element_type_ = true;
      return *this;
    }
    Equal& IgnoreFpPrecision() {
      ignore_fp_precision_ = true;
      return *this;
    }
    Equal& IgnoreDynamicDimension() {
      ignore_dynamic_dimension_ = true;
      return *this;
    }
    Equal& IgnoreDimensions() {
      ignore_dimensions_ = true;
      return *this;
    }

   private:
    Layout::Equal layout_equal_;
    bool ignore_layout_ = false;
    bool ignore_element_type_ = false;
    bool ignore_fp_precision_ = false;
    bool ignore_dynamic_dimension_ = false;
    bool ignore_dimensions_ = false;
  };

  bool operator==(const Shape& other) const { return Equal()(*this, other); }
  bool operator!=(const Shape& other) const { return !(*this == other); }

 private:
  PrimitiveType element_type_ = PRIMITIVE_TYPE_INVALID;
  DimensionVector dimensions_;
  // One flag for each dimension.
  absl::InlinedVector<bool, 6> dynamic_dimensions_;
  std::vector<Shape> tuple_shapes_;
  std::optional<Layout> layout_;
};

// The shapes of a computation's parameters and result. An index out of range ends the process with
// a message.
class CALLBRIDGE_EXPORTED ProgramShape {
 public:
  ProgramShape() = default;
  explicit ProgramShape(const ProgramShapeProto& proto);

  ProgramShapeProto ToProto() const;
  // Returns a text such as "(x: f32[2], y: s32[]) -> f32[2]". A parameter without a name is
  // "(unknown)".
  std::string ToString() const;

  int parameters_size() const { return static_cast<int>(parameters_.size()); }
  const std::vector<Shape>& parameters() const { return parameters_; }
  const Shape& parameters(int index) const;
  std::vector<Shape>* mutable_parameters() { return &parameters_; }
  Shape* mutable_parameters(int index);
  Shape* add_parameters() { return &parameters_.emplace_back(); }
  void clear_parameters() { parameters_.clear(); }

  const Shape& result() const { return result_; }
  Shape* mutable_result() { return &result_; }

  int parameter_names_size() const { return static_cast<int>(parameter_names_.size()); }
  const std::vector<std::string>& parameter_names() const { return parameter_names_; }
  const std::string& parameter_names(int index) const;
  std::vector<std::string>* mutable_parameter_names() { return &parameter_names_; }
  std::string* mutable_parameter_names(int index);
  void set_parameter_names(int index, const std::string& value);
  void add_parameter_names(const std::string& value) { parameter_names_.push_back(value); }
  std::string* add_parameter_names() { return &parameter_names_.emplace_back(); }
  void clear_parameter_names() { parameter_names_.clear(); }

  std::string ShortDebugString() const { return ToProto().ShortDebugString(); }
  std::string DebugString() const { return ToProto().DebugString(); }

 private:
  std::vector<Shape> parameters_;
  std::vector<std::string> parameter_names_;
  Shape result_;
};

inline absl::Span<const int64_t> LayoutUtil::MinorToMajor(const Shape& shape) {
  return shape.layout().minor_to_major();
}

CALLBRIDGE_EXPORTED std::ostream& operator<<(std::ostream& out, const ShapeIndex& index);
CALLBRIDGE_EXPORTED std::ostream& operator<<(std::ostream& out, const Shape& shape);
CALLBRIDGE_EXPORTED std::ostream& operator<<(std::ostream& out, const ProgramShape& shape);

}  // namespace callbridge_v1
}  // namespace xla

#endif  // CALLBRIDGE_HLO_SHAPE_H_
