#include "callbridge/hlo/literal_check.h"

#include <cstdint>
#include <optional>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/hlo/module_check.h"

namespace callbridge::hlo {
namespace {

// What a field holds: values, or an array's bytes.
struct Held {
  int64_t size;
  bool bytes;
  int values_per_element = 1;
};

std::optional<Held> HeldBy(const xla::LiteralProto& literal, PrimitiveType type) {
  const auto values = [](const auto& field, int values_per_element = 1) {
    return Held{field.size(), false, values_per_element};
  };
  const auto bytes = [](const std::string& field) {
    return Held{static_cast<int64_t>(field.size()), true};
  };
  switch (type) {
    case PrimitiveType::kPred:
      return values(literal.preds());
    case PrimitiveType::kS4:
      return bytes(literal.s4s());
    case PrimitiveType::kU4:
      return bytes(literal.u4s());
    case PrimitiveType::kS8:
      return bytes(literal.s8s());
    case PrimitiveType::kU8:
      return bytes(literal.u8s());
    case PrimitiveType::kS16:
      return bytes(literal.s16s());
    case PrimitiveType::kU16:
      return bytes(literal.u16s());
    case PrimitiveType::kS32:
      return values(literal.s32s());
    case PrimitiveType::kU32:
      return values(literal.u32s());
    case PrimitiveType::kS64:
      return values(literal.s64s());
    case PrimitiveType::kU64:
      return values(literal.u64s());
    case PrimitiveType::kF16:
      return bytes(literal.f16s());
    case PrimitiveType::kBf16:
      return bytes(literal.bf16s());
    case PrimitiveType::kF32:
      return values(literal.f32s());
    case PrimitiveType::kF64:
      return values(literal.f64s());
    case PrimitiveType::kC64:
      return values(literal.c64s(), 2);
    case PrimitiveType::kC128:
      return values(literal.c128s(), 2);
    case PrimitiveType::kF8E5M2:
      return bytes(literal.f8e5m2s());
    case PrimitiveType::kF8E4M3FN:
      return bytes(literal.f8e4m3fns());
    case PrimitiveType::kF8E4M3B11FNUZ:
      return bytes(literal.f8e4m3b11fnuzs());
    case PrimitiveType::kF8E5M2FNUZ:
      return bytes(literal.f8e5m2fnuzs());
    case PrimitiveType::kF8E4M3FNUZ:
      return bytes(literal.f8e4m3fnuzs());
    case PrimitiveType::kF8E4M3:
      return bytes(literal.f8e4m3s());
    case PrimitiveType::kF8E3M4:
      return bytes(literal.f8e3m4s());
    case PrimitiveType::kS2:
      return bytes(literal.s2s());
    case PrimitiveType::kU2:
      return bytes(literal.u2s());
    case PrimitiveType::kS1:
      return bytes(literal.s1s());
    case PrimitiveType::kU1:
      return bytes(literal.u1s());
    case PrimitiveType::kF4E2M1FN:
      return bytes(literal.f4e2m1fns());
    case PrimitiveType::kF8E8M0FNU:
      return bytes(literal.f8e8m0fnus());
    default:
      return std::nullopt;
  }
}

absl::Status CheckArray(const xla::LiteralProto& literal, const Shape& shape) {
  const std::optional<Held> held = HeldBy(literal, shape.element_type());
  if (!held.has_value()) {
    return absl::UnimplementedError(absl::StrCat("a literal of shape ", ShapeText(shape),
                                                 ": callbridge has no constants of this type; run "
                                                 "this module on XLA"));
  }
  const absl::int128 count = shape.ElementCount();
  const absl::int128 expected = held->bytes ? count * ((BitWidth(shape.element_type()) + 7) / 8)
                                            : count * held->values_per_element;
  if (expected == held->size) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "a literal of shape ", ShapeText(shape), ": expected ",
      absl::int128(expected) > INT64_MAX ? "more than 2^63"
                                         : absl::StrCat(static_cast<int64_t>(expected)),
      held->bytes ? " bytes" : " values", ", got ", held->size));
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
