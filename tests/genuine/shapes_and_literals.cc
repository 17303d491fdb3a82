// Prints what shapes and literals are and say, with the old API alone: compiled twice, here and
// with the genuine headers, it must print the same lines. The arguments choose nothing; each line
// begins with what it is about.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "tensorflow/compiler/xla/literal.h"
#include "tensorflow/compiler/xla/literal_util.h"
#include "tensorflow/compiler/xla/service/hlo.pb.h"
#include "tensorflow/compiler/xla/shape.h"
#include "tensorflow/compiler/xla/shape_util.h"
#include "tensorflow/compiler/xla/statusor.h"
#include "tensorflow/compiler/xla/xla_data.pb.h"

namespace {

using xla::Literal;
using xla::LiteralUtil;
using xla::Shape;
using xla::ShapeIndex;
using xla::ShapeUtil;

template <typename T>
void Say(const std::string& what, const T& value) {
  std::cout << what << ": " << value << "\n";
}

std::string Hex(const std::string& bytes) {
  static const char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char byte : bytes) {
    hex += kDigits[static_cast<unsigned char>(byte) >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

void SayShape(const std::string& what, const Shape& shape) {
  Say(what + " text", ShapeUtil::HumanString(shape));
  Say(what + " with layout", ShapeUtil::HumanStringWithLayout(shape));
  Say(what + " ToString", shape.ToString(/*print_layout=*/true) + shape.ToString());
  Say(what + " wire", Hex(shape.SerializeAsString()));
  Say(what + " again", Shape(shape.ToProto()) == shape);
  if (!ShapeUtil::IsInitialized(shape)) return;
  Say(what + " kind", std::to_string(shape.IsArray()) + std::to_string(shape.IsTuple()) +
                          std::to_string(shape.IsToken()) + std::to_string(shape.IsOpaque()) +
                          std::to_string(shape.is_static()) +
                          std::to_string(ShapeUtil::IsScalar(shape)) +
                          std::to_string(ShapeUtil::IsEffectiveScalar(shape)) +
                          std::to_string(ShapeUtil::IsNestedTuple(shape)) +
                          std::to_string(ShapeUtil::IsEmptyTuple(shape)) +
                          std::to_string(ShapeUtil::IsZeroElementArray(shape)) +
                          std::to_string(ShapeUtil::ElementIsSigned(shape)) +
                          std::to_string(ShapeUtil::ElementIsFloating(shape)) +
                          std::to_string(ShapeUtil::ElementIsIntegral(shape)) +
                          std::to_string(ShapeUtil::ElementIsComplex(shape)));
  // 2.13.1 takes integers of four bits for none.
  if (!ShapeUtil::HasPrimitiveType(shape, xla::S4) &&
      !ShapeUtil::HasPrimitiveType(shape, xla::U4)) {
    Say(what + " integer", shape.IsInteger());
  }
  Say(what + " leaves", ShapeUtil::GetLeafCount(shape));
  Say(what + " subshapes", ShapeUtil::SubshapeCount(shape));
  ShapeUtil::ForEachSubshape(shape, [&](const Shape& subshape, const ShapeIndex& index) {
    Say(what + " at " + index.ToString(), ShapeUtil::HumanString(subshape));
    Say(what + " leaf", ShapeUtil::IsLeafIndex(shape, index));
    Say(what + " same", ShapeUtil::GetSubshape(shape, index) == subshape);
  });
  Say(what + " beyond", ShapeUtil::IndexIsValid(shape, {0, 0, 0}));
  if (!shape.IsOpaque()) Say(what + " bytes", ShapeUtil::ByteSizeOf(shape, 8));
  if (!shape.IsArray()) return;
  Say(what + " elements", ShapeUtil::ElementsIn(shape));
  Say(what + " true rank", ShapeUtil::TrueRank(shape));
  Say(what + " valid", ShapeUtil::ValidateShape(shape).ok());
  Shape bare = shape;
  bare.clear_layout();
  Say(what + " bare", bare.ToString(true) + Hex(bare.SerializeAsString()));
  Say(what + " bare equal", std::to_string(bare == shape) +
                                std::to_string(ShapeUtil::Equal(bare, shape)) +
                                std::to_string(ShapeUtil::Compatible(bare, shape)));
  Say(what + " bare valid",
      std::to_string(ShapeUtil::ValidateShape(bare).ok()) +
          std::to_string(ShapeUtil::ValidateShapeWithOptionalLayout(bare).ok()));
  Say(what + " changed",
      ShapeUtil::HumanStringWithLayout(ShapeUtil::ChangeElementType(shape, xla::F64)));
}

void SayShapes() {
  std::vector<std::pair<std::string, Shape>> shapes;
  // 22 is U4, the last one that 2.13.1 makes shapes of.
  for (int type = 1; type <= 22; ++type) {
    if (type == xla::TUPLE || type == xla::OPAQUE_TYPE || type == xla::TOKEN) continue;
    const auto element = static_cast<xla::PrimitiveType>(type);
    shapes.emplace_back("type " + std::to_string(type), ShapeUtil::MakeShape(element, {2, 3}));
    Say("width", ShapeUtil::ByteSizeOfPrimitiveType(element));
    Say("name", xla::primitive_util::LowercasePrimitiveTypeName(element));
  }
  shapes.emplace_back("scalar", ShapeUtil::MakeScalarShape(xla::F32));
  shapes.emplace_back("vector", ShapeUtil::MakeShape(xla::F32, {128}));
  shapes.emplace_back("ones", ShapeUtil::MakeShape(xla::S32, {1, 5, 1}));
  shapes.emplace_back("none", ShapeUtil::MakeShape(xla::U8, {4, 0, 2}));
  shapes.emplace_back("large", ShapeUtil::MakeShape(xla::U8, {1 << 30, 1 << 30}));
  shapes.emplace_back("dynamic", ShapeUtil::MakeShape(xla::F32, {4, 5}, {false, true}));
  shapes.emplace_back("column-major",
                      ShapeUtil::MakeShapeWithDenseLayout(xla::F32, {2, 3}, {0, 1}));
  shapes.emplace_back("tiled", ShapeUtil::MakeShapeWithDenseLayout(
                                   xla::BF16, {16, 256}, {1, 0},
                                   {xla::Tile({8, 128}), xla::Tile({2, 1})}, /*memory_space=*/3));
  shapes.emplace_back("combined", ShapeUtil::MakeShapeWithDenseLayout(
                                      xla::F32, {2, 3, 4}, {2, 1, 0},
                                      {xla::Tile({xla::Tile::kCombineDimension, 4})}));
  shapes.emplace_back("nil", ShapeUtil::MakeNil());
  shapes.emplace_back("token", ShapeUtil::MakeTokenShape());
  shapes.emplace_back("opaque", ShapeUtil::MakeOpaqueShape());
  const Shape f32 = ShapeUtil::MakeShape(xla::F32, {32});
  const Shape pair = ShapeUtil::MakeTupleShape({f32, ShapeUtil::MakeScalarShape(xla::PRED)});
  shapes.emplace_back("pair", pair);
  shapes.emplace_back("single", ShapeUtil::MakeTupleShape({f32}));
  shapes.emplace_back("nested", ShapeUtil::MakeTupleShape({f32, pair, ShapeUtil::MakeNil(),
                                                           ShapeUtil::MakeTokenShape(), pair}));
  std::vector<Shape> many(7, f32);
  shapes.emplace_back("many", ShapeUtil::MakeTupleShape(many));
  shapes.emplace_back("invalid", Shape());
  for (const auto& [what, shape] : shapes) SayShape(what, shape);

  for (const auto& [a_name, a] : shapes) {
    for (const auto& [b_name, b] : shapes) {
      std::string line;
      line += std::to_string(a == b);
      line += std::to_string(ShapeUtil::Equal(a, b));
      line += std::to_string(ShapeUtil::Compatible(a, b));
      line += std::to_string(ShapeUtil::CompatibleIgnoringElementType(a, b));
      line += std::to_string(ShapeUtil::CompatibleIgnoringFpPrecision(a, b));
      line += std::to_string(ShapeUtil::SameElementType(a, b));
      line += std::to_string(ShapeUtil::EqualIgnoringElementType(a, b));
      if (a.IsArray() && b.IsArray()) {
        line += std::to_string(ShapeUtil::SameDimensions(a, b));
        line += std::to_string(ShapeUtil::SameRank(a, b));
      }
      line += std::to_string(Shape::Equal().IgnoreLayout()(a, b));
      line += std::to_string(Shape::Equal().MinorToMajorOnlyInLayout().IgnoreElementType()(a, b));
      line += std::to_string(Shape::Equal().IgnoreDynamicDimension().IgnoreFpPrecision()(a, b));
      line += std::to_string(Shape::Equal().IgnoreDimensions()(a, b));
      Say(a_name + " and " + b_name, line);
    }
  }

  xla::ProgramShape program = ShapeUtil::MakeProgramShape({f32, pair}, pair);
  Say("program", program.ToString());
  Say("program wire", Hex(program.ToProto().SerializeAsString()));
  program.add_parameter_names("first");
  program.add_parameter_names("second");
  Say("named program", ShapeUtil::HumanString(program));
  Say("named program again", xla::ProgramShape(program.ToProto()).ToString());

  for (const std::vector<int64_t>& dimensions : std::vector<std::vector<int64_t>>{
           {}, {2}, {-1}, {1LL << 62, 2}, {1LL << 40, 1LL << 40}, {0, 1LL << 62}, {3, 4, 5}}) {
    const auto shape = ShapeUtil::MakeValidatedShape(xla::F32, dimensions);
    Say("validated", shape.ok() ? shape->ToString(true) : std::string("refused"));
  }
}

void SayLiteral(const std::string& what, const Literal& literal) {
  Say(what + " text", literal.ToString());
  Say(what + " line", literal.ToStringOneline());
  Say(what + " without shape", literal.ToStringWithoutShape());
  Say(what + " line without shape", literal.ToStringWithoutShapeOneline());
  Say(what + " with layout", literal.ToStringWithLayout());
  Say(what + " shape", literal.shape().ToString(true));
  const xla::LiteralProto proto = literal.ToProto();
  // Four bits take a byte on the wire of 2023, and half of one since.
  if (literal.shape().element_type() != xla::S4 && literal.shape().element_type() != xla::U4) {
    Say(what + " wire", Hex(proto.SerializeAsString()));
  }
  const auto again = Literal::CreateFromProto(proto);
  Say(what + " again", again.ok() && *again == literal);
  Say(what + " clone", literal.Clone() == literal);
  if (literal.shape().IsArray()) Say(what + " bytes", literal.size_bytes());
}

template <typename T>
void SayNumbers(const std::string& what, const std::vector<T>& values) {
  SayLiteral(what + " vector", LiteralUtil::CreateR1<T>(values));
  for (const T& value : values) SayLiteral(what, LiteralUtil::CreateR0<T>(value));
  SayLiteral(what + " matrix",
             LiteralUtil::CreateR2<T>({{values[0], values[1]}, {values[1], values[0]}}));
}

template <typename T>
std::vector<T> Integers() {
  return {T(0), T(1), T(-1), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

std::vector<double> Floats() {
  std::vector<double> values = {
      0.0,      -0.0,     1.0,    -1.5,    0.1,      1.0 / 3,
      1e10,     1e-10,    123456, 1234567, 16777217, 3.14159265358979,
      1e22,     65504,    1e-7,   448,     0.001,    100000,
      1e15,     1e16,     1e17,   5e-324,  1e-40,    std::nextafter(1.0, 2.0),
      INFINITY, -INFINITY};
  for (int i = 0; i < 40; ++i) values.push_back(std::ldexp(1.0 + i * 0.0321, i * 3 - 60));
  return values;
}

template <typename T>
std::vector<T> FloatsOf() {
  std::vector<T> values;
  for (const double value : Floats()) values.push_back(static_cast<T>(static_cast<float>(value)));
  return values;
}

void SayLiterals() {
  SayNumbers<int8_t>("s8", Integers<int8_t>());
  SayNumbers<int16_t>("s16", Integers<int16_t>());
  SayNumbers<int32_t>("s32", Integers<int32_t>());
  SayNumbers<int64_t>("s64", Integers<int64_t>());
  SayNumbers<uint8_t>("u8", Integers<uint8_t>());
  SayNumbers<uint16_t>("u16", Integers<uint16_t>());
  SayNumbers<uint32_t>("u32", Integers<uint32_t>());
  SayNumbers<uint64_t>("u64", Integers<uint64_t>());
  SayNumbers<float>("f32", FloatsOf<float>());
  SayNumbers<double>("f64", Floats());
  SayNumbers<xla::half>("f16", FloatsOf<xla::half>());
  SayNumbers<xla::bfloat16>("bf16", FloatsOf<xla::bfloat16>());
  SayNumbers<xla::complex64>("c64", {{1, 2}, {-0.5f, INFINITY}, {0.1f, -0.0f}});
  SayNumbers<xla::complex128>("c128", {{1, 2}, {-0.5, 1e300}, {0.1, -0.0}});
  SayLiteral("nan", LiteralUtil::CreateR1<float>({NAN, -NAN}));
  SayLiteral("pred", LiteralUtil::CreateR0<bool>(true));
  SayLiteral("preds", LiteralUtil::CreateR1<bool>({true, false, true}));
  SayLiteral("preds2", LiteralUtil::CreateR2<bool>({{true, false}, {false, false}}));

  SayNumbers<xla::s4>("s4", {xla::s4(1), xla::s4(-8), xla::s4(7)});
  SayNumbers<xla::u4>("u4", {xla::u4(1), xla::u4(15), xla::u4(8)});

  SayLiteral("cube", LiteralUtil::CreateR3<int32_t>(
                         {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}}));
  SayLiteral("column-major", LiteralUtil::CreateR2WithLayout<float>(
                                 {{1, 2, 3}, {4, 5, 6}}, xla::LayoutUtil::MakeLayout({0, 1})));
  for (const std::vector<int64_t>& dimensions :
       std::vector<std::vector<int64_t>>{{0},
                                         {1},
                                         {1, 1},
                                         {0, 3},
                                         {3, 0},
                                         {2, 0, 3},
                                         {1, 2, 1, 2},
                                         {2, 1, 2, 1, 2},
                                         {1, 1, 1, 1, 1, 2}}) {
    Literal literal(ShapeUtil::MakeShape(xla::S32, dimensions));
    int32_t next = 1;
    for (int32_t& element : literal.data<int32_t>()) element = next++;
    SayLiteral("rank " + std::to_string(dimensions.size()), literal);
  }
  SayLiteral("empty", Literal());
  SayLiteral("token", LiteralUtil::CreateToken());
  SayLiteral("bytes", LiteralUtil::CreateR1U8("a\"b\\\n\xff"));
  Say("string", Hex(LiteralUtil::CreateR1U8("a\"b\\\n\xff").GetR1U8AsString()));

  Literal one = LiteralUtil::CreateR0<float>(1);
  Literal two = LiteralUtil::CreateR1<int32_t>({1, 2});
  Literal tuple = LiteralUtil::MakeTuple({&one, &two});
  SayLiteral("tuple", tuple);
  SayLiteral("tuple of slices", LiteralUtil::MakeTupleFromSlices({one, two}));
  SayLiteral("single", LiteralUtil::MakeTuple({&one}));
  Literal nested = LiteralUtil::MakeTupleOwned(std::move(tuple), LiteralUtil::CreateToken(),
                                               Literal(), two.Clone());
  SayLiteral("nested", nested);
  Say("nested element", nested.Get<int32_t>({1}, {0, 1}));
  Say("nested slice", Literal(xla::LiteralSlice(nested, {0}).Clone()).ToString());
  std::vector<Literal> parts = nested.DecomposeTuple();
  for (const Literal& part : parts) Say("part", part.ToString());
  Say("left behind", nested.ToString());
  Literal target(ShapeUtil::MakeTupleShape({two.shape(), one.shape()}));
  Say("copy", target.CopyFrom(two, {0}).ok());
  Say("bad copy", target.CopyFrom(two, {1}).ok());
  Say("move", target.MoveFrom(std::move(one), {1}).ok());
  Say("target", target.ToString());
  Literal matrix = LiteralUtil::CreateR2<int32_t>({{1, 2}, {3, 4}});
  const Literal columns = matrix.Relayout(xla::LayoutUtil::MakeLayout({0, 1}));
  SayLiteral("relayout", columns);
  Say("equal across layouts", columns == matrix);
  Say("first column", columns.data<int32_t>()[1]);
  Say("equal nans", LiteralUtil::CreateR0<float>(NAN) == LiteralUtil::CreateR0<float>(NAN));
  Say("equal zeros", LiteralUtil::CreateR0<float>(0.0f) == LiteralUtil::CreateR0<float>(-0.0f));
  Say("other types", LiteralUtil::CreateR0<int32_t>(0) == LiteralUtil::CreateR0<uint32_t>(0));

  for (int type = 1; type <= 20; ++type) {
    const auto element = static_cast<xla::PrimitiveType>(type);
    if (!ShapeUtil::IsArrayPrimitiveType(element)) continue;
    const std::string name = "constant " + std::to_string(type);
    SayLiteral(name + " zero", LiteralUtil::Zero(element));
    SayLiteral(name + " one", LiteralUtil::One(element));
    if (xla::primitive_util::IsComplexType(element)) continue;
    SayLiteral(name + " min", LiteralUtil::MinValue(element));
    SayLiteral(name + " max", LiteralUtil::MaxValue(element));
  }
}

// All halves, and floats around where rounding changes, there and back.
void SaySmallFloats() {
  uint64_t hash = 14695981039346656037u;
  const auto mix = [&](uint32_t bits) { hash = (hash ^ bits) * 1099511628211u; };
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    xla::half half;
    half.x = static_cast<uint16_t>(bits);
    const auto back = static_cast<float>(half);
    uint32_t float_bits;
    std::memcpy(&float_bits, &back, 4);
    if (back == back) mix(float_bits);
  }
  Say("halves", hash);
  uint32_t state = 1;
  for (int i = 0; i < 2000000; ++i) {
    state = state * 1664525u + 1013904223u;
    // A quarter of them stand near a tie.
    const uint32_t bits = i % 4 == 0 ? (state & 0xffffe000u) | 0x1000u : state;
    float value;
    std::memcpy(&value, &bits, 4);
    if (value != value) continue;
    const auto half = static_cast<xla::half>(value);
    const auto bfloat = static_cast<xla::bfloat16>(value);
    uint16_t half_bits, bfloat_bits;
    std::memcpy(&half_bits, &half, 2);
    std::memcpy(&bfloat_bits, &bfloat, 2);
    mix(half_bits);
    mix(bfloat_bits);
  }
  Say("rounded", hash);
}

void SayEnum(const google::protobuf::EnumDescriptor& type) {
  for (int i = 0; i < type.value_count(); ++i) {
    Say("wire " + type.full_name() + "." + type.value(i)->name(), type.value(i)->number());
  }
}

void SayMessage(const google::protobuf::Descriptor& message) {
  for (int i = 0; i < message.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *message.field(i);
    std::string text = std::to_string(field.number()) + " " + field.type_name();
    if (field.message_type() != nullptr) text += " " + field.message_type()->full_name();
    if (field.enum_type() != nullptr) text += " " + field.enum_type()->full_name();
    if (field.is_repeated()) text += " repeated";
    if (field.is_packed()) text += " packed";
    if (field.containing_oneof() != nullptr) text += " oneof";
    Say("wire " + field.full_name(), text);
  }
  for (int i = 0; i < message.nested_type_count(); ++i) SayMessage(*message.nested_type(i));
  for (int i = 0; i < message.enum_type_count(); ++i) SayEnum(*message.enum_type(i));
}

void SayFile(const google::protobuf::FileDescriptor& file) {
  for (int i = 0; i < file.message_type_count(); ++i) SayMessage(*file.message_type(i));
  for (int i = 0; i < file.enum_type_count(); ++i) SayEnum(*file.enum_type(i));
}

}  // namespace

int main() {
  SayShapes();
  SayLiterals();
  SaySmallFloats();
  SayFile(*xla::ShapeProto::descriptor()->file());
  SayFile(*xla::HloModuleProto::descriptor()->file());
  return 0;
}
