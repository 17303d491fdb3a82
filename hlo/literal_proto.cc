#include "callbridge/hlo/literal_proto.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/hlo/literal.h"
#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/shape_proto.h"
#include "google/protobuf/descriptor.h"

namespace callbridge::hlo {
namespace {

using xla::LiteralProto;

struct Field {
  PrimitiveType type;
  const std::string& (*get)(const LiteralProto& literal);
  std::string* (*get_mutable)(LiteralProto& literal);
};

// Lambdas, since the library exports accessors whose address is taken.
#define CALLBRIDGE_FIELD(type, name)                                                      \
  {                                                                                       \
    PrimitiveType::type,                                                                  \
        [](const LiteralProto& literal) -> const std::string& { return literal.name(); }, \
        [](LiteralProto& literal) { return literal.mutable_##name(); }                    \
  }
constexpr Field kFields[] = {
    CALLBRIDGE_FIELD(kS1, s1s),
    CALLBRIDGE_FIELD(kU1, u1s),
    CALLBRIDGE_FIELD(kS2, s2s),
    CALLBRIDGE_FIELD(kU2, u2s),
    CALLBRIDGE_FIELD(kS4, s4s),
    CALLBRIDGE_FIELD(kU4, u4s),
    CALLBRIDGE_FIELD(kS8, s8s),
    CALLBRIDGE_FIELD(kU8, u8s),
    CALLBRIDGE_FIELD(kS16, s16s),
    CALLBRIDGE_FIELD(kU16, u16s),
    CALLBRIDGE_FIELD(kF16, f16s),
    CALLBRIDGE_FIELD(kBf16, bf16s),
    CALLBRIDGE_FIELD(kF4E2M1FN, f4e2m1fns),
    CALLBRIDGE_FIELD(kF8E8M0FNU, f8e8m0fnus),
    CALLBRIDGE_FIELD(kF8E3M4, f8e3m4s),
    CALLBRIDGE_FIELD(kF8E4M3, f8e4m3s),
    CALLBRIDGE_FIELD(kF8E4M3FN, f8e4m3fns),
    CALLBRIDGE_FIELD(kF8E4M3FNUZ, f8e4m3fnuzs),
    CALLBRIDGE_FIELD(kF8E4M3B11FNUZ, f8e4m3b11fnuzs),
    CALLBRIDGE_FIELD(kF8E5M2, f8e5m2s),
    CALLBRIDGE_FIELD(kF8E5M2FNUZ, f8e5m2fnuzs),
};
#undef CALLBRIDGE_FIELD

const Field* FindField(PrimitiveType type) {
  for (const Field& field : kFields) {
    if (field.type == type) return &field;
  }
  return nullptr;
}

}  // namespace

const std::string* BytesField(const LiteralProto& literal, PrimitiveType type) {
  const Field* field = FindField(type);
  return field == nullptr ? nullptr : &field->get(literal);
}

std::string* MutableBytesField(LiteralProto* literal, PrimitiveType type) {
  const Field* field = FindField(type);
  return field == nullptr ? nullptr : field->get_mutable(*literal);
}

namespace {

using xla::LiteralProto;

absl::Status NoStorage(PrimitiveType type) {
  return absl::UnimplementedError(absl::StrCat("literals of type ", PrimitiveTypeName(type),
                                               " are not supported; run this module on XLA"));
}

// An element of fewer than 8 bits takes a byte.
int BytesOfPart(PrimitiveType type) { return (BitWidth(type) + 7) / 8; }

}  // namespace

int PartsOfElement(PrimitiveType type) {
  return type == PrimitiveType::kC64 || type == PrimitiveType::kC128 ? 2 : 1;
}

PrimitiveType PartType(PrimitiveType type) {
  if (type == PrimitiveType::kC64) return PrimitiveType::kF32;
  if (type == PrimitiveType::kC128) return PrimitiveType::kF64;
  return type;
}

absl::Status CheckStoredElements(const LiteralProto& literal, const Shape& array) {
  const PrimitiveType type = array.element_type();
  const int64_t count = array.ElementCount();
  int64_t stored = 0;
  int64_t per_element = 1;
  absl::string_view unit;
  if (const std::string* bytes = BytesField(literal, type); bytes != nullptr) {
    unit = "bytes";
    stored = static_cast<int64_t>(bytes->size());
    per_element = BytesOfPart(type);
  } else if (WithNumbersField(literal, type, [&](const auto& field) { stored = field.size(); })) {
    unit = "numbers";
    per_element = PartsOfElement(type);
  } else {
    return NoStorage(type);
  }
  // Divides, since the natural size of elements that the layout packs may overflow.
  if (stored % per_element == 0 && stored / per_element == count) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a literal of the shape ", ShapeText(array),
                                                 ": expected its ", count, " elements, got ",
                                                 stored, " ", unit));
}

uint64_t StoredPart(const LiteralProto& literal, PrimitiveType type, int64_t index) {
  if (const std::string* bytes = BytesField(literal, type); bytes != nullptr) {
    const int size = BytesOfPart(type);
    uint64_t part = 0;
    std::memcpy(&part, bytes->data() + index * size, size);
    // Only the low bits of a sub-byte element count.
    return part & ((uint64_t{1} << BitWidth(type)) - 1);
  }
  uint64_t part = 0;
  WithNumbersField(literal, type, [&](const auto& field) {
    const auto value = field.Get(static_cast<int>(index));
    std::memcpy(&part, &value, sizeof(value));
  });
  return part;
}

absl::Status StoreParts(PrimitiveType type, const std::vector<uint64_t>& parts,
                        LiteralProto* literal) {
  if (std::string* bytes = MutableBytesField(literal, type); bytes != nullptr) {
    const int size = BytesOfPart(type);
    bytes->reserve(parts.size() * size);
    for (uint64_t part : parts) bytes->append(reinterpret_cast<const char*>(&part), size);
    return absl::OkStatus();
  }
  const bool known = WithNumbersField(*literal, type, [&](auto& field) {
    field.Reserve(static_cast<int>(parts.size()));
    for (uint64_t part : parts) {
      std::remove_reference_t<decltype(field.Get(0))> constant{};
      std::remove_const_t<decltype(constant)> value;
      std::memcpy(&value, &part, sizeof(value));
      field.Add(value);
    }
  });
  return known ? absl::OkStatus() : NoStorage(type);
}

std::vector<int64_t> StorageStrides(const Shape& array) {
  const size_t rank = array.dimensions().size();
  std::vector<int64_t> strides(rank);
  // The other dimensions of an empty array may multiply to anything.
  if (array.ElementCount() == 0) return strides;
  int64_t stride = 1;
  for (size_t i = 0; i < rank; ++i) {
    const size_t dimension =
        array.layout().has_value() ? array.layout()->minor_to_major[i] : rank - 1 - i;
    strides[dimension] = stride;
    stride *= array.dimensions()[dimension];
  }
  return strides;
}

// ---- CheckLiteral -------------------------------------------------------------------------------

namespace {

absl::Status CheckArray(const xla::LiteralProto& literal, const Shape& shape) {
  const PrimitiveType type = shape.element_type();
  const std::string* bytes = BytesField(literal, type);
  int64_t held = bytes == nullptr ? 0 : static_cast<int64_t>(bytes->size());
  if (bytes == nullptr &&
      !WithNumbersField(literal, type, [&](const auto& field) { held = field.size(); })) {
    return absl::UnimplementedError(absl::StrCat("a literal of shape ", ShapeText(shape),
                                                 ": callbridge has no constants of this type; run "
                                                 "this module on XLA"));
  }
  const absl::int128 count = shape.ElementCount();
  const absl::int128 expected =
      count * (bytes != nullptr ? BytesOfPart(type) : PartsOfElement(type));
  if (expected == held) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "a literal of shape ", ShapeText(shape), ": expected ",
      absl::int128(expected) > INT64_MAX ? "more than 2^63"
                                         : absl::StrCat(static_cast<int64_t>(expected)),
      bytes != nullptr ? " bytes" : " values", ", got ", held));
}

}  // namespace

absl::Status CheckLiteral(const xla::LiteralProto& literal, const Shape& shape) {
  if (shape.IsToken()) return absl::OkStatus();
  if (shape.IsArray()) return CheckArray(literal, shape);
  const absl::Span<const Shape> elements = shape.tuple_elements();
  if (elements.size() != static_cast<size_t>(literal.tuple_literals_size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("a literal of a tuple of ", elements.size(), " elements: expected as many ",
                     "literals in it, got ", literal.tuple_literals_size()));
  }
  // The shape is not nested deeper than Shape::kMaxTupleDepth.
  for (size_t i = 0; i < elements.size(); ++i) {
    const xla::LiteralProto& element = literal.tuple_literals(static_cast<int>(i));
    const absl::StatusOr<Shape> shape_of_its_own = ShapeFromProto(element.shape());
    if (!shape_of_its_own.ok()) return shape_of_its_own.status();
    if (*shape_of_its_own != elements[i]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "element ", i, " of a tuple's literal: expected shape ", ShapeText(elements[i]),
          ", as the tuple says, got ", ShapeText(*shape_of_its_own)));
    }
    absl::Status status = CheckLiteral(element, elements[i]);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace callbridge::hlo

namespace xla {
inline namespace callbridge_v1 {

// ---- xla::Literal -------------------------------------------------------------------------------

namespace {

using ::callbridge::hlo::MutableBytesField;
using ::callbridge::hlo::WithNumbersField;

::callbridge::PrimitiveType InternalType(PrimitiveType type) {
  return static_cast<::callbridge::PrimitiveType>(type);
}

// Returns true if an element takes less than a byte. In messages its byte has zeros above it
// (jaxlib 0.4.30 and 0.10.2, measured); here it repeats the sign.
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
    const int sign = (1 << bits) >> 1;
    const bool negative = primitive_util::IsSignedIntegralType(type) && (element & sign) != 0;
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

// Returns OK if `proto` has as many elements as `shape`. Runs before memory is allocated, since a
// shape of a few bytes may claim any size.
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
    // Each level compares the shapes of all levels below. The nesting is limited.
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
