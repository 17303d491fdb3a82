// xla::Literal to xla::LiteralProto, and back.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/hlo/literal.h"
#include "callbridge/hlo/literal_elements.h"
#include "callbridge/hlo/literal_fields.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/shape_conversion.h"
#include "google/protobuf/descriptor.h"

namespace xla {
inline namespace callbridge_v1 {
namespace {

using ::callbridge::hlo::MutableBytesField;
using ::callbridge::hlo::WithNumbersField;

::callbridge::PrimitiveType InternalType(PrimitiveType type) {
  return static_cast<::callbridge::PrimitiveType>(type);
}

// Whether an element takes less than a byte. In messages each has a byte of its own, of which the
// other bits are zero (jaxlib 0.4.30 and 0.10.2, measured); here they repeat the sign.
bool IsSubByte(PrimitiveType type) { return primitive_util::BitWidth(type) < 8; }

std::string LowBits(PrimitiveType type, const char* elements, size_t count) {
  const int mask = (1 << primitive_util::BitWidth(type)) - 1;
  std::string bytes(elements, count);
  for (char& byte : bytes) byte = static_cast<char>(byte & mask);
  return bytes;
}

void FromLowBits(PrimitiveType type, const std::string& bytes, char* elements) {
  const int bits = primitive_util::BitWidth(type);
  for (const char byte : bytes) {
    const int element = byte & ((1 << bits) - 1);
    const bool negative = primitive_util::IsSignedIntegralType(type) && element >> (bits - 1) != 0;
    *elements++ = static_cast<char>(negative ? element - (1 << bits) : element);
  }
}

void WriteElements(PrimitiveType type, const char* elements, int64_t count, LiteralProto& proto) {
  if (count == 0) return;
  const auto bytes = static_cast<size_t>(count * primitive_util::ByteWidth(type));
  if (std::string* field = MutableBytesField(&proto, InternalType(type)); field != nullptr) {
    *field = IsSubByte(type) ? LowBits(type, elements, bytes) : std::string(elements, bytes);
    return;
  }
  const int64_t numbers = count * ::callbridge::hlo::PartsOfElement(InternalType(type));
  if (numbers > std::numeric_limits<int>::max()) {
    internal::Die(absl::StrCat("expected a literal of a size that a message can hold, ",
                               std::numeric_limits<int>::max(), " numbers; got ", numbers));
  }
  const bool is_known = WithNumbersField(proto, InternalType(type), [&](auto& list) {
    list.Resize(static_cast<int>(numbers), 0);
    std::memcpy(list.mutable_data(), elements, bytes);
  });
  if (!is_known) internal::Die(absl::StrCat("LiteralProto has no field for type ", type));
}

void Write(const LiteralBase& literal, const Shape& shape, ShapeIndex& index, LiteralProto& proto) {
  *proto.mutable_shape() = shape.ToProto();
  if (shape.IsArray()) {
    WriteElements(shape.element_type(), static_cast<const char*>(literal.untyped_data(index)),
                  literal.element_count(index), proto);
  }
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    index.push_back(i);
    Write(literal, shape.tuple_shapes(i), index, *proto.add_tuple_literals());
    index.pop_back();
  }
}

std::string Text(const ::callbridge::Shape& shape) {
  return ::callbridge::hlo::ShapeToXla(shape).ToString(/*print_layout=*/true);
}

// Whether `proto` has as many elements as `shape`, before any memory is taken for them: a shape of
// a few bytes may claim any size.
Status CheckSizes(const ::callbridge::Shape& shape, const LiteralProto& proto) {
  const auto children = static_cast<size_t>(proto.tuple_literals_size());
  if (children != shape.tuple_elements().size()) {
    return absl::InvalidArgumentError(absl::StrCat("a literal of the shape ", Text(shape),
                                                   ": expected ", shape.tuple_elements().size(),
                                                   " tuple_literals; got ", children));
  }
  if (shape.IsArray()) return ::callbridge::hlo::CheckStoredElements(proto, shape);
  for (size_t i = 0; i < children; ++i) {
    const LiteralProto& child = proto.tuple_literals(static_cast<int>(i));
    const ::callbridge::Shape& expected = shape.tuple_elements()[i];
    // Nesting has its limit, so that comparing again at each level is no work that grows without
    // one.
    TF_ASSIGN_OR_RETURN(const ::callbridge::Shape said,
                        ::callbridge::hlo::ShapeFromProto(child.shape()));
    if (said != expected) {
      return absl::InvalidArgumentError(
          absl::StrCat("a literal of the shape ", Text(shape), ": expected element ", i,
                       " to have the shape ", Text(expected), "; got ", Text(said)));
    }
    TF_RETURN_IF_ERROR(CheckSizes(expected, child));
  }
  return OkStatus();
}

void ReadElements(const LiteralProto& proto, PrimitiveType type, char* elements, int64_t count) {
  if (count == 0) return;
  const std::string* bytes = ::callbridge::hlo::BytesField(proto, InternalType(type));
  if (bytes != nullptr) {
    if (IsSubByte(type)) {
      FromLowBits(type, *bytes, elements);
    } else {
      std::copy(bytes->begin(), bytes->end(), elements);
    }
    return;
  }
  WithNumbersField(proto, InternalType(type), [&](const auto& list) {
    std::memcpy(elements, list.data(), static_cast<size_t>(list.size()) * sizeof(list.Get(0)));
  });
}

void Read(const LiteralProto& proto, const Shape& shape, ShapeIndex& index, Literal& literal) {
  if (shape.IsArray()) {
    ReadElements(proto, shape.element_type(), static_cast<char*>(literal.untyped_data(index)),
                 literal.element_count(index));
  }
  for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
    index.push_back(i);
    Read(proto.tuple_literals(i), shape.tuple_shapes(i), index, literal);
    index.pop_back();
  }
}

}  // namespace

LiteralProto LiteralBase::ToProto() const {
  LiteralProto proto;
  ShapeIndex index;
  Write(*this, shape(), index, proto);
  return proto;
}

StatusOr<Literal> MutableLiteralBase::CreateFromProto(const LiteralProto& proto,
                                                      bool prohibit_empty_literal) {
  if (!proto.has_shape()) {
    return absl::InvalidArgumentError("expected a literal's message to have a shape; got none");
  }
  TF_ASSIGN_OR_RETURN(const ::callbridge::Shape shape,
                      ::callbridge::hlo::ShapeFromProto(proto.shape()));
  std::vector<const ::google::protobuf::FieldDescriptor*> fields;
  LiteralProto::GetReflection()->ListFields(proto, &fields);
  const bool is_shape_alone = fields.size() == 1;
  if (is_shape_alone && !prohibit_empty_literal) return Literal::Make(Shape(proto.shape()));
  TF_RETURN_IF_ERROR(CheckSizes(shape, proto));
  TF_ASSIGN_OR_RETURN(Literal literal, Literal::Make(Shape(proto.shape())));
  ShapeIndex index;
  Read(proto, literal.shape(), index, literal);
  return literal;
}

}  // namespace callbridge_v1
}  // namespace xla
