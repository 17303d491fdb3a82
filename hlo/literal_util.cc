#include "callbridge/hlo/literal_util.h"

#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/float_format.h"

namespace xla {
inline namespace callbridge_v1 {
namespace {

using ::callbridge::FloatFormat;

enum class Constant { kOne, kMin, kMax };

// Copies the bytes of one element, at most 16.
template <typename T>
void Store(Literal& literal, const T& value) {
  std::memcpy(literal.untyped_data(), &value, static_cast<size_t>(literal.size_bytes()));
}

uint64_t FloatConstant(const FloatFormat& format, Constant constant) {
  if (constant == Constant::kOne) return format.One();
  return constant == Constant::kMin ? format.Least() : format.Greatest();
}

// Returns the value in the lowest bits, for integers of any width.
uint64_t IntegerConstant(PrimitiveType type, Constant constant) {
  if (constant == Constant::kOne) return 1;
  const int bits = primitive_util::BitWidth(type);
  const uint64_t ones = bits < 64 ? (uint64_t{1} << bits) - 1 : ~uint64_t{0};
  const uint64_t min = primitive_util::IsSignedIntegralType(type) ? (ones >> 1) + 1 : uint64_t{0};
  return constant == Constant::kMin ? min : ones ^ min;
}

Literal MakeConstant(PrimitiveType type, Constant constant) {
  Literal literal = LiteralUtil::Zero(type);
  const auto element_type = static_cast<::callbridge::PrimitiveType>(type);
  if (const FloatFormat* format = ::callbridge::FindFloatFormat(element_type)) {
    Store(literal, FloatConstant(*format, constant));
  } else if (type == PRED) {
    Store(literal, constant != Constant::kMin);
  } else if (primitive_util::IsIntegralType(type)) {
    Store(literal, IntegerConstant(type, constant));
  } else if (type == C64 && constant == Constant::kOne) {
    Store(literal, complex64(1, 0));
  } else if (type == C128 && constant == Constant::kOne) {
    Store(literal, complex128(1, 0));
  } else {
    internal::Die(absl::StrCat("expected a type that has an order; got ",
                               primitive_util::LowercasePrimitiveTypeName(type)));
  }
  return literal;
}

}  // namespace

Literal LiteralUtil::CreateR1U8(absl::string_view value) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(value.data());
  return CreateR1<uint8_t>(absl::MakeConstSpan(bytes, value.size()));
}

Literal LiteralUtil::CreateFromDimensions(PrimitiveType type,
                                          absl::Span<const int64_t> dimensions) {
  return Literal(ShapeUtil::MakeShape(type, dimensions));
}

Literal LiteralUtil::Zero(PrimitiveType type) {
  // Ends the process for types without elements, TOKEN among them.
  ShapeUtil::ByteSizeOfPrimitiveType(type);
  return CreateFromDimensions(type, {});
}

Literal LiteralUtil::One(PrimitiveType type) { return MakeConstant(type, Constant::kOne); }

Literal LiteralUtil::MinValue(PrimitiveType type) { return MakeConstant(type, Constant::kMin); }

Literal LiteralUtil::MaxValue(PrimitiveType type) { return MakeConstant(type, Constant::kMax); }

Literal LiteralUtil::CreateToken() { return Literal(ShapeUtil::MakeTokenShape()); }

Literal LiteralUtil::MakeTuple(absl::Span<const Literal* const> elements) {
  std::vector<Literal> copies;
  copies.reserve(elements.size());
  for (const Literal* element : elements) copies.push_back(element->Clone());
  return MakeTupleOwned(std::move(copies));
}

Literal LiteralUtil::MakeTupleFromSlices(absl::Span<const LiteralSlice> elements) {
  std::vector<Literal> copies;
  copies.reserve(elements.size());
  for (const LiteralSlice& element : elements) copies.push_back(element.Clone());
  return MakeTupleOwned(std::move(copies));
}

Literal LiteralUtil::MakeTupleOwned(std::vector<Literal> elements) {
  return Literal::MoveIntoTuple(absl::MakeSpan(elements));
}

std::string LiteralUtil::MultiIndexAsString(absl::Span<const int64_t> index) {
  return ShapeIndex(index).ToString();
}

}  // namespace callbridge_v1
}  // namespace xla
