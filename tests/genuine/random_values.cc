#include "random_values.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "callbridge/hlo/layout.h"
#include "callbridge/hlo/shape_util.h"

namespace callbridge {
namespace {

using xla::Shape;
using xla::ShapeIndex;
using xla::ShapeUtil;

constexpr ElementKind kKinds[] = {
    {xla::PRED, 'p', 1, 0},   {xla::S8, 'i', 1, 0},       {xla::S16, 'i', 2, 0},
    {xla::S32, 'i', 4, 0},    {xla::S64, 'i', 8, 0},      {xla::U8, 'i', 1, 0},
    {xla::U16, 'i', 2, 0},    {xla::U32, 'i', 4, 0},      {xla::U64, 'i', 8, 0},
    {xla::F16, 'h', 1, 11},   {xla::BF16, 'b', 1, 8},     {xla::F32, 'f', 1, 24},
    {xla::F64, 'd', 1, 53},   {xla::C64, 'f', 2, 24},     {xla::C128, 'd', 2, 53},
    {xla::F8E5M2, 'i', 1, 0}, {xla::F8E4M3FN, 'i', 1, 0},
};

template <typename T>
void Append(const T& value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string Describe(const Shape& shape, const Aliases* aliases, ShapeIndex* index) {
  if (shape.IsToken()) return "t";
  if (shape.IsTuple()) {
    std::string text = "(";
    for (int i = 0; i < shape.tuple_shapes_size(); ++i) {
      index->push_back(i);
      text += Describe(shape.tuple_shapes(i), aliases, index);
      index->pop_back();
    }
    return text + ")";
  }
  const bool in_place =
      aliases != nullptr && std::any_of(aliases->begin(), aliases->end(),
                                        [&](const auto& alias) { return alias.first == *index; });
  const ElementKind& kind = KindOf(shape);
  return absl::StrCat(in_place ? "=" : "", std::string(1, kind.kind),
                      ShapeUtil::ElementsIn(shape) * kind.parts, ";");
}

}  // namespace

const ElementKind& KindOf(const Shape& shape) {
  return *std::find_if(std::begin(kKinds), std::end(kKinds),
                       [&](const ElementKind& kind) { return kind.type == shape.element_type(); });
}

bool IsFloat(const Shape& shape) { return KindOf(shape).mantissa != 0; }
bool IsComplex(const Shape& shape) { return KindOf(shape).parts == 2 && IsFloat(shape); }
bool IsInteger(const Shape& shape) {
  return shape.IsArray() && KindOf(shape).kind == 'i' && shape.element_type() != xla::F8E5M2 &&
         shape.element_type() != xla::F8E4M3FN;
}

bool IsUnsigned(const Shape& shape) {
  const xla::PrimitiveType type = shape.element_type();
  return type == xla::U8 || type == xla::U16 || type == xla::U32 || type == xla::U64;
}

const ElementKind& RandomValues::Kind() { return kKinds[Pick(std::size(kKinds))]; }

Shape RandomValues::Array() {
  std::vector<int64_t> dimensions;
  for (int rank = Pick(4); rank > 0; --rank) dimensions.push_back(Chance(4) ? 0 : Pick(4) + 1);
  return ShapeUtil::MakeShape(Kind().type, dimensions);
}

Shape RandomValues::ShapeOf(int depth) {
  if (depth > 0 && Chance(20)) {
    std::vector<Shape> elements;
    for (int i = Pick(4); i > 0; --i) elements.push_back(ShapeOf(depth - 1));
    return ShapeUtil::MakeTupleShape(elements);
  }
  return Array();
}

std::string RandomValues::Elements(const Shape& shape) {
  const ElementKind& kind = KindOf(shape);
  std::string bytes;
  for (int64_t i = ShapeUtil::ElementsIn(shape) * kind.parts; i > 0; --i) {
    const int number = (Pick(8) + 1) * (Chance(50) ? 1 : -1);
    if (kind.kind == 'f') Append(static_cast<float>(number), &bytes);
    if (kind.kind == 'd') Append(static_cast<double>(number), &bytes);
    if (kind.kind == 'h') Append(xla::half(static_cast<float>(number)), &bytes);
    if (kind.kind == 'b') Append(xla::bfloat16(static_cast<float>(number)), &bytes);
    if (kind.kind == 'p') Append(static_cast<char>(Pick(2)), &bytes);
    if (kind.kind == 'i') Append(static_cast<char>(Pick(256)), &bytes);
  }
  return bytes;
}

xla::Literal RandomValues::LiteralOf(const Shape& shape) {
  if (shape.IsTuple()) {
    std::vector<xla::Literal> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(LiteralOf(element));
    return xla::LiteralUtil::MakeTupleOwned(std::move(elements));
  }
  xla::Literal literal(shape);
  const std::string bytes = Elements(shape);
  if (!bytes.empty()) memcpy(literal.untyped_data(), bytes.data(), bytes.size());
  return literal;
}

Shape RandomValues::LeafLikeThoseOf(const std::vector<Shape>& operands) {
  if (Chance(8)) return ShapeUtil::MakeTokenShape();
  if (operands.empty() || Chance(40)) return Array();
  const Shape& operand = operands[Pick(static_cast<int>(operands.size()))];
  const std::vector<ShapeUtil::IndexedShape> leaves = ShapeUtil::GetLeafShapes(operand);
  if (leaves.empty()) return Array();
  const Shape& leaf = leaves[Pick(static_cast<int>(leaves.size()))].shape;
  return leaf.IsArray() ? leaf : Array();
}

Shape RandomValues::NestedResult(const std::vector<Shape>& operands, int depth) {
  if (depth == 0 || Chance(70)) return LeafLikeThoseOf(operands);
  std::vector<Shape> elements;
  for (int i = Pick(5); i > 0; --i) elements.push_back(NestedResult(operands, depth - 1));
  return ShapeUtil::MakeTupleShape(elements);
}

Shape RandomValues::ResultOf(const std::vector<Shape>& operands, bool typed) {
  if (Chance(40)) return LeafLikeThoseOf(operands);
  constexpr int kCounts[] = {0, 2, 3, 4, 1};
  std::vector<Shape> elements;
  for (int i = kCounts[Pick(typed ? 4 : 5)]; i > 0; --i) {
    elements.push_back(NestedResult(operands, typed ? 0 : 2));
  }
  return ShapeUtil::MakeTupleShape(elements);
}

Aliases RandomValues::AliasesOf(const std::vector<Shape>& operands, const Shape& result) {
  Aliases aliases;
  std::vector<ShapeUtil::IndexedShape> outputs = ShapeUtil::GetLeafShapes(result);
  for (size_t number = 0; number < operands.size(); ++number) {
    for (const auto& leaf : ShapeUtil::GetLeafShapes(operands[number])) {
      for (auto output = outputs.begin(); output != outputs.end(); ++output) {
        if (!leaf.shape.IsArray() || output->shape != leaf.shape || !Chance(70)) continue;
        aliases.push_back({output->index, {static_cast<int64_t>(number), leaf.index}});
        outputs.erase(output);
        break;
      }
    }
  }
  return aliases;
}

Shape WithSomeLayout(Shape shape) {
  for (Shape& element : *shape.mutable_tuple_shapes()) element = WithSomeLayout(element);
  if (!shape.IsArray()) return shape;
  std::vector<int64_t> order(static_cast<size_t>(shape.rank()));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int64_t>(i);
  // The same for the same shape, so that what lies in one place has one layout. XLA's compiler
  // dies of a transposition of nothing.
  if (ShapeUtil::ElementsIn(shape) == 0) return shape;
  if ((shape.rank() + ShapeUtil::ElementsIn(shape)) % 2 == 0)
    std::reverse(order.begin(), order.end());
  *shape.mutable_layout() = xla::LayoutUtil::MakeLayout(order);
  return shape;
}

std::string Description(const Shape& operand) {
  ShapeIndex index;
  return Describe(operand, nullptr, &index);
}

std::string Description(const Shape& result, const Aliases& aliases) {
  ShapeIndex index;
  return Describe(result, &aliases, &index);
}

}  // namespace callbridge
