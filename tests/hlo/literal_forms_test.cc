// Literals as they are printed, made, copied and taken apart; and what is said where that cannot
// be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "callbridge/hlo/literal.h"
#include "callbridge/hlo/literal_util.h"
#include "google/protobuf/text_format.h"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::xla::Literal;
using ::xla::LiteralProto;
using ::xla::LiteralSlice;
using ::xla::LiteralUtil;
using ::xla::PrimitiveType;
using ::xla::Shape;
using ::xla::ShapeUtil;

// Elements 0, 1, 2, ... in row-major order.
Literal Counting(std::vector<int64_t> dimensions) {
  Literal literal = LiteralUtil::CreateFromDimensions(xla::S32, dimensions);
  int32_t next = 0;
  for (int32_t& element : literal.data<int32_t>()) element = next++;
  return literal;
}

TEST(LiteralText, HasTheFormsOfEachRank) {
  const Literal tuple =
      LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(1.5), LiteralUtil::CreateToken(),
                                  LiteralUtil::MakeTupleOwned(Counting({2})));
  struct {
    Literal literal;
    const char* text;
    const char* one_line;
  } const cases[] = {
      {LiteralUtil::CreateR0<bool>(true), "pred[] true", "pred[] true"},
      {LiteralUtil::CreateR1<bool>({true, false}), "pred[2] {1, 0}", "pred[2] {1, 0}"},
      {Counting({0}), "s32[0] {}", "s32[0] {}"},
      {Counting({1}), "s32[1] {0}", "s32[1] {0}"},
      {Counting({3}), "s32[3] {0, 1, 2}", "s32[3] {0, 1, 2}"},
      {Counting({2, 1}), "s32[2,1] {\n  {0},\n  {1}\n}", "s32[2,1] { {0}, {1} }"},
      {Counting({1, 2}), "s32[1,2] {\n  { 0, 1 }\n}", "s32[1,2] { { 0, 1 } }"},
      {Counting({2, 1, 2}), "s32[2,1,2] {\n{\n  { 0, 1 }\n},\n{\n  { 2, 3 }\n}\n}",
       "s32[2,1,2] { { { 0, 1 } }, { { 2, 3 } } }"},
      {Counting({1, 2, 1, 2}),
       "s32[1,2,1,2] {\n{ /*i0=0*/\n{ /*i1=0*/\n  { 0, 1 }\n},\n{ /*i1=1*/\n  { 2, 3 }\n}\n}\n}",
       "s32[1,2,1,2] { { /*i0=0*/ { /*i1=0*/ { 0, 1 } }, { /*i1=1*/ { 2, 3 } } } }"},
      {tuple.Clone(), "(\nf32[] 1.5,\ntoken,\n(\ns32[2] {0, 1}\n)\n)",
       "( f32[] 1.5, token, ( s32[2] {0, 1} ) )"},
  };
  for (const auto& [literal, text, one_line] : cases) {
    EXPECT_EQ(literal.ToString(), text);
    EXPECT_EQ(literal.ToStringOneline(), one_line);
    std::ostringstream out;
    out << literal;
    EXPECT_EQ(out.str(), text);
  }
  const Literal matrix = Counting({1, 2});
  EXPECT_EQ(matrix.ToStringWithoutShape(), "{\n  { 0, 1 }\n}");
  EXPECT_EQ(matrix.ToStringWithoutShapeOneline(), "{ { 0, 1 } }");
  EXPECT_EQ(matrix.ToStringWithLayout(), "s32[1,2]{1,0} {\n  { 0, 1 }\n}");
  EXPECT_EQ(matrix.ToStringWithLayoutOneline(), "s32[1,2]{1,0} { { 0, 1 } }");
  EXPECT_EQ(tuple.ToStringWithoutShapeOneline(), "( 1.5, token, ( {0, 1} ) )");
}

TEST(LiteralText, ElementsHaveTheDigitsThatTellThemApart) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<Literal, const char*> cases[] = {
      {LiteralUtil::CreateR0<float>(0.1F), "0.1"},
      {LiteralUtil::CreateR0<float>(16777216.0F), "16777216"},
      {LiteralUtil::CreateR0<float>(1.0F / 3), "0.333333343"},
      {LiteralUtil::CreateR0<float>(-0.0F), "-0"},
      {LiteralUtil::CreateR0<float>(INFINITY), "inf"},
      {LiteralUtil::CreateR0<float>(-INFINITY), "-inf"},
      {LiteralUtil::CreateR0<float>(NAN), "nan"},
      {LiteralUtil::CreateR0<float>(-NAN), "-nan"},
      {LiteralUtil::CreateR0<double>(0.1), "0.1"},
      {LiteralUtil::CreateR0<double>(1.0 / 3), "0.33333333333333331"},
      {LiteralUtil::CreateR0<double>(std::copysign(nan, 1)), "nan"},
      {LiteralUtil::CreateR0<double>(std::copysign(nan, -1)), "-nan"},
      {LiteralUtil::CreateR0<xla::complex64>({1, -2.5}), "(1, -2.5)"},
      {LiteralUtil::CreateR0<xla::complex128>({-0.25, 3}), "(-0.25, 3)"},
      {LiteralUtil::CreateR0<xla::half>(xla::half(0.1F)), "0.099976"},
      {LiteralUtil::CreateR0<xla::half>(xla::half(NAN)), "nan"},
      {LiteralUtil::CreateR0<xla::half>(xla::half::FromBits(0xfe00)), "-nan"},
      {LiteralUtil::CreateR0<xla::bfloat16>(xla::bfloat16(-1.5)), "-1.5"},
      {LiteralUtil::CreateR0<uint64_t>(UINT64_MAX), "18446744073709551615"},
      {LiteralUtil::CreateR0<int64_t>(INT64_MIN), "-9223372036854775808"},
      {LiteralUtil::CreateR0<uint32_t>(UINT32_MAX), "4294967295"},
      {LiteralUtil::CreateR0<int32_t>(-2), "-2"},
      {LiteralUtil::CreateR0<uint16_t>(65535), "65535"},
      {LiteralUtil::CreateR0<int16_t>(-3), "-3"},
      {LiteralUtil::CreateR0<uint8_t>(200), "200"},
      {LiteralUtil::CreateR0<int8_t>(-128), "-128"},
      {LiteralUtil::CreateR0<xla::s4>(xla::s4(-8)), "-8"},
      {LiteralUtil::CreateR0<xla::u4>(xla::u4(15)), "15"},
      {LiteralUtil::CreateR0<bool>(false), "false"},
  };
  for (const auto& [literal, text] : cases) {
    EXPECT_EQ(literal.ToStringWithoutShape(), text);
    EXPECT_EQ(literal.GetAsString({}), text);
  }
}

TEST(Literal, ElementsAreReadAsNumbersAtTheirIndex) {
  Literal columns(ShapeUtil::MakeShapeWithDenseLayout(xla::S16, {2, 3}, {0, 1}));
  columns.PopulateR2<int16_t>({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(columns.GetIntegralAsS64({0, 2}), 3);
  EXPECT_EQ(columns.GetIntegralAsS64({1, 0}), 4);
  EXPECT_EQ(columns.GetAsString({1, 1}), "5");
  const Literal doubles = LiteralUtil::CreateR2<double>({{1, 2}, {3, 4}});
  EXPECT_EQ(doubles.GetAsDouble({1, 0}), 3);
  EXPECT_EQ(doubles.GetFirstElement<double>(), 1);
  const Literal words = LiteralUtil::CreateR1<uint64_t>({INT64_MAX, uint64_t{INT64_MAX} + 1});
  EXPECT_EQ(words.GetIntegralAsS64({0}), INT64_MAX);
  EXPECT_EQ(words.GetIntegralAsS64({1}), std::nullopt);
  EXPECT_EQ(LiteralUtil::CreateR0<bool>(true).GetIntegralAsS64({}), 1);
  EXPECT_EQ(LiteralUtil::CreateR0<xla::complex64>({1, 2}).GetAsDouble({}), std::nullopt);
  const Literal pair = LiteralUtil::MakeTupleOwned(Counting({2}), Counting({2, 2}));
  EXPECT_EQ(pair.GetAsString({1, 0}, {1}), "2");
  EXPECT_EQ(pair.Get<int32_t>({1, 1}, {1}), 3);
  EXPECT_EQ(pair.element_count({1}), 4);
  EXPECT_EQ(pair.size_bytes({1}), 16);
  EXPECT_EQ(pair.size_bytes(), 16);
  EXPECT_EQ(LiteralUtil::CreateToken().size_bytes(), 0);
}

TEST(LiteralUtil, MakesLiterals) {
  EXPECT_EQ(LiteralUtil::CreateR2<int32_t>({}).shape().ToString(), "s32[0,0]");
  EXPECT_EQ(LiteralUtil::CreateR3<int32_t>({}).shape().ToString(), "s32[0,0,0]");
  EXPECT_EQ(LiteralUtil::CreateR3<int32_t>({{}}).shape().ToString(), "s32[1,0,0]");
  const Literal r2 =
      LiteralUtil::CreateR2WithLayout<int32_t>({{1, 2}, {3, 4}}, xla::Layout({0, 1}));
  EXPECT_THAT(r2.data<int32_t>(), ElementsAre(1, 3, 2, 4));
  const Literal r3 =
      LiteralUtil::CreateR3<int32_t>({{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}});
  EXPECT_EQ(r3.ToStringOneline(),
            "s32[2,3,2] { { { 1, 2 }, { 3, 4 }, { 5, 6 } }, { { 7, 8 }, { 9, 10 }, { 11, 12 } } }");
  const Literal r3_columns = LiteralUtil::CreateR3WithLayout<int32_t>(
      {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, xla::Layout({0, 1, 2}));
  EXPECT_THAT(r3_columns.data<int32_t>(), ElementsAre(1, 5, 3, 7, 2, 6, 4, 8));
  EXPECT_EQ(LiteralUtil::CreateFullWithDescendingLayout<int8_t>({2, 2}, 7).ToStringOneline(),
            "s8[2,2] { { 7, 7 }, { 7, 7 } }");
  EXPECT_EQ(LiteralUtil::CreateR1U8({"a\0b", 3}).GetR1U8AsString(), std::string("a\0b", 3));
  EXPECT_EQ(LiteralUtil::MultiIndexAsString({1, 0}), "{1,0}");
  const Literal one = Counting({1});
  const Literal two = Counting({2});
  const Literal* const pointers[] = {&one, &two};
  EXPECT_EQ(LiteralUtil::MakeTuple(pointers).ToStringOneline(), "( s32[1] {0}, s32[2] {0, 1} )");
  EXPECT_EQ(LiteralUtil::MakeTupleFromSlices({one, two}).ToStringOneline(),
            "( s32[1] {0}, s32[2] {0, 1} )");
  EXPECT_EQ(one.ToString(), "s32[1] {0}");
  const std::tuple<PrimitiveType, const char*, const char*, const char*> limits[] = {
      {xla::PRED, "true", "false", "true"},
      {xla::S1, "-1", "-1", "0"},
      {xla::U1, "1", "0", "1"},
      {xla::S8, "1", "-128", "127"},
      {xla::U16, "1", "0", "65535"},
      {xla::U64, "1", "0", "18446744073709551615"},
      {xla::F32, "1", "-inf", "inf"},
      {xla::F64, "1", "-inf", "inf"},
      {xla::F8E4M3FN, "1", "-448", "448"},
  };
  for (const auto& [type, unit, least, greatest] : limits) {
    EXPECT_EQ(LiteralUtil::One(type).GetAsString({}), unit) << type;
    EXPECT_EQ(LiteralUtil::MinValue(type).GetAsString({}), least) << type;
    EXPECT_EQ(LiteralUtil::MaxValue(type).GetAsString({}), greatest) << type;
  }
  EXPECT_EQ(LiteralUtil::One(xla::C64).GetAsString({}), "(1, 0)");
  EXPECT_EQ(LiteralUtil::One(xla::C128).GetAsString({}), "(1, 0)");
}

TEST(Literal, CopiesInOtherLayouts) {
  const Literal rows = LiteralUtil::MakeTupleOwned(Counting({2, 3}), LiteralUtil::CreateToken());
  const Literal columns = rows.Relayout(xla::Layout({0, 1}), {0});
  EXPECT_EQ(columns.shape().ToString(true), "(s32[2,3]{0,1}, token[])");
  EXPECT_THAT(columns.data<int32_t>({0}), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_TRUE(columns == rows);
  EXPECT_EQ(*columns.CloneToUnique(), rows);
  EXPECT_EQ(columns.Clone().shape(), columns.shape());
  EXPECT_THAT(columns.Relayout(rows.shape()).data<int32_t>({0}), ElementsAre(0, 1, 2, 3, 4, 5));
  // Layouts of which the first dimension is alike, but not all.
  Literal cube(ShapeUtil::MakeShapeWithDenseLayout(xla::S32, {2, 3, 2}, {2, 0, 1}));
  ASSERT_TRUE(cube.CopyFrom(Counting({2, 3, 2})).ok());
  EXPECT_THAT(cube.data<int32_t>(), ElementsAre(0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11));
  EXPECT_TRUE(cube == Counting({2, 3, 2}));
  cube.Set<int32_t>({1, 2, 1}, 99);
  EXPECT_FALSE(cube == Counting({2, 3, 2}));
  EXPECT_FALSE(Counting({2, 3, 2}) == cube);
  EXPECT_EQ(Literal::CreateFromShape(rows.shape()).ToStringOneline(),
            "( s32[2,3] { { 0, 0, 0 }, { 0, 0, 0 } }, token )");
  EXPECT_TRUE(LiteralUtil::CreateR0<float>(NAN) == LiteralUtil::CreateR0<float>(NAN));
  EXPECT_FALSE(LiteralUtil::CreateR0<float>(0.0F) == LiteralUtil::CreateR0<float>(-0.0F));
  EXPECT_FALSE(Counting({2}) == Counting({3}));
  EXPECT_FALSE(rows == Counting({2, 3}));
  EXPECT_FALSE(LiteralUtil::MakeTupleOwned(Counting({1}), Counting({2})) ==
               LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<int32_t>({7}), Counting({2})));

  Literal target =
      LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<int32_t>({8, 9}), Counting({2}));
  ASSERT_TRUE(
      target.CopyFrom(LiteralUtil::MakeTupleOwned(Counting({1}), Counting({2})), {0}, {1}).ok());
  EXPECT_EQ(target.ToStringOneline(), "( s32[2] {0, 1}, s32[2] {0, 1} )");
  EXPECT_EQ(
      target.CopyFrom(Counting({3}), {0}),
      absl::InvalidArgumentError("expected elements of the shape s32[2] to copy; got s32[3]"));
  EXPECT_FALSE(target.CopyFrom(Counting({2}), {2}).ok());
  EXPECT_FALSE(target.CopyFrom(Counting({2}), {0}, {0}).ok());
  EXPECT_EQ(
      target.MoveFrom(Counting({2, 1}), {0}),
      absl::InvalidArgumentError("expected a literal of the shape s32[2]{0}; got s32[2,1]{1,0}"));
}

TEST(Literal, PartsThatAreMovedKnowTheirNewShape) {
  Literal pair = LiteralUtil::MakeTupleOwned(
      LiteralUtil::MakeTupleOwned(Counting({2}), Counting({3})), Literal());
  {
    Literal source =
        LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<int32_t>({5, 6}), Counting({3}));
    ASSERT_TRUE(pair.MoveFrom(std::move(source), {0}).ok());
  }
  // The source and its shape are gone.
  EXPECT_EQ(&LiteralSlice(pair, {0, 0}).shape(), &pair.shape().tuple_shapes(0).tuple_shapes(0));
  EXPECT_EQ(pair.ToStringOneline(), "( ( s32[2] {5, 6}, s32[3] {0, 1, 2} ), (  ) )");
  ASSERT_TRUE(pair.MoveFrom(Literal(), {1}).ok());
  EXPECT_EQ(pair.shape().ToString(), "((s32[2], s32[3]), ())");
  std::vector<Literal> parts = pair.DecomposeTuple();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].ToStringOneline(), "( s32[2] {5, 6}, s32[3] {0, 1, 2} )");
  EXPECT_EQ(parts[1].ToStringOneline(), "(  )");
}

TEST(BorrowingLiteral, WritesToMemoryOfOthers) {
  int32_t first[] = {1, 2};
  int32_t second[] = {3};
  char* leaves[] = {reinterpret_cast<char*>(first), reinterpret_cast<char*>(second)};
  const Shape shape = ShapeUtil::MakeTupleShape({Counting({2}).shape(), Counting({1}).shape()});
  xla::MutableBorrowingLiteral pair(absl::MakeSpan(leaves), shape);
  EXPECT_EQ(pair.ToStringOneline(), "( s32[2] {1, 2}, s32[1] {3} )");
  pair.Set<int32_t>({1}, {0}, 7);
  EXPECT_EQ(first[1], 7);
  const xla::MutableBorrowingLiteral part(pair, {1});
  EXPECT_EQ(part.ToString(), "s32[1] {3}");
}

TEST(LiteralProto, EveryTypeIsWrittenWithItsBits) {
  // A message's own bytes: sub-byte elements have a byte each, of which the upper bits are zero.
  for (const PrimitiveType type :
       {xla::S1, xla::S2, xla::S4, xla::U1, xla::U2, xla::U4, xla::S8, xla::U8}) {
    const int bits = xla::primitive_util::BitWidth(type);
    const bool is_signed = xla::primitive_util::IsSignedIntegralType(type);
    Literal literal = LiteralUtil::CreateFromDimensions(type, {1 << bits});
    auto* const bytes = static_cast<int8_t*>(literal.untyped_data());
    for (int i = 0; i < 1 << bits; ++i) {
      bytes[i] = static_cast<int8_t>(is_signed && i >> (bits - 1) != 0 ? i - (1 << bits) : i);
    }
    const auto again = Literal::CreateFromProto(literal.ToProto());
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(std::memcmp(again->untyped_data(), literal.untyped_data(), 1 << bits), 0) << type;
    std::string expected;
    for (int i = 0; i < 1 << bits; ++i) expected.push_back(static_cast<char>(i));
    const LiteralProto proto = literal.ToProto();
    std::vector<const google::protobuf::FieldDescriptor*> fields;
    LiteralProto::GetReflection()->ListFields(proto, &fields);
    ASSERT_EQ(fields.size(), 2u);
    const auto* const elements = fields[0]->name() == "shape" ? fields[1] : fields[0];
    EXPECT_EQ(elements->name(), xla::primitive_util::LowercasePrimitiveTypeName(type) + "s");
    EXPECT_EQ(LiteralProto::GetReflection()->GetString(proto, elements), expected) << type;
  }
}

TEST(LiteralProto, TuplesAreWrittenAndReadInOrder) {
  const Literal tuple = LiteralUtil::MakeTupleOwned(
      LiteralUtil::MakeTupleOwned(Counting({2}), LiteralUtil::CreateToken(), Counting({3})),
      Counting({1}));
  LiteralProto proto = tuple.ToProto();
  EXPECT_THAT(proto.tuple_literals(0).tuple_literals(2).s32s(), ElementsAre(0, 1, 2));
  EXPECT_THAT(proto.tuple_literals(1).s32s(), ElementsAre(0));
  const auto again = Literal::CreateFromProto(proto);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(*again == tuple);
  // With its elements a message is read as without leave to be empty.
  EXPECT_TRUE(*Literal::CreateFromProto(proto, /*prohibit_empty_literal=*/false) == tuple);
  LiteralProto short_by_one = proto;
  short_by_one.mutable_tuple_literals()->RemoveLast();
  EXPECT_EQ(Literal::CreateFromProto(short_by_one).status(),
            absl::InvalidArgumentError(
                "a literal of the shape ((s32[2]{0}, token[], s32[3]{0}), s32[1]{0}): expected 2 "
                "tuple_literals; got 1"));
  *proto.mutable_tuple_literals(1) = Counting({4}).ToProto();
  EXPECT_EQ(Literal::CreateFromProto(proto).status(),
            absl::InvalidArgumentError(
                "a literal of the shape ((s32[2]{0}, token[], s32[3]{0}), s32[1]{0}): expected "
                "element 1 to have the shape s32[1]{0}; got s32[4]{0}"));
}

TEST(LiteralProto, BitsAboveAnElementAreCutOff) {
  LiteralProto proto;
  *proto.mutable_shape() = ShapeUtil::MakeShape(xla::U4, {2}).ToProto();
  proto.set_u4s("\xf1\x2f");
  const auto nibbles = Literal::CreateFromProto(proto);
  ASSERT_TRUE(nibbles.ok()) << nibbles.status();
  EXPECT_EQ(std::memcmp(nibbles->untyped_data(), "\x01\x0f", 2), 0);
  proto.clear_u4s();
  *proto.mutable_shape() = ShapeUtil::MakeShape(xla::S2, {4}).ToProto();
  proto.set_s2s("\x04\x05\x06\xff");
  const auto pairs = Literal::CreateFromProto(proto);
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  EXPECT_EQ(std::memcmp(pairs->untyped_data(), "\x00\x01\xfe\xff", 4), 0);
}

TEST(Literal, WithoutElementsHasNoMemory) {
  EXPECT_EQ(Counting({0}).untyped_data(), nullptr);
  EXPECT_EQ(LiteralUtil::CreateToken().untyped_data(), nullptr);
  EXPECT_EQ(Literal(ShapeUtil::MakeOpaqueShape()).ToString(), "opaque[] ");
  int cells = 0;
  Counting({2, 0}).EachCell<int32_t>([&](absl::Span<const int64_t>, int32_t) { ++cells; });
  EXPECT_EQ(cells, 0);
  LiteralUtil::CreateR0<int32_t>(5).EachCell<int32_t>(
      [&](absl::Span<const int64_t> index, int32_t value) {
        EXPECT_TRUE(index.empty());
        cells += value;
      });
  EXPECT_EQ(cells, 5);
  Shape sparse = ShapeUtil::MakeShape(xla::F32, {2});
  xla::LayoutProto layout = sparse.layout().ToProto();
  layout.add_dim_level_types(xla::DIM_COMPRESSED);
  *sparse.mutable_layout() = xla::Layout::CreateFromProto(layout);
  EXPECT_EQ(Literal::Make(sparse).status(),
            absl::UnimplementedError("a literal of a sparse array, f32[2]"));
}

TEST(LiteralDeathTest, SaysWhatWasExpected) {
  Literal pair = LiteralUtil::MakeTupleOwned(Counting({2}), Counting({0}));
  Literal matrix = Counting({2, 3});
  const char* const leaf = nullptr;
  const std::pair<std::function<void()>, const char*> cases[] = {
      {[&] { pair.untyped_data({2}); },
       "a literal of the shape (s32[2], s32[0]) has nothing at {2}"},
      {[&] { pair.untyped_data({-1}); },
       "a literal of the shape (s32[2], s32[0]) has nothing at {-1}"},
      {[&] { matrix.data<float>(); },
       "expected the elements of s32[2,3] to be read and written as what they are; got f32"},
      {[&] {
         matrix.Get<int32_t>({1, 3});
       },
       "expected an index into s32[2,3]; got {1,3}"},
      {[&] {
         matrix.PopulateR2<int32_t>({{1, 2, 3}});
       },
       "expected as many values as s32[2,3] has elements; got {1,3}"},
      {[&] {
         Counting({3}).PopulateR1<int32_t>({1, 2});
       },
       "expected as many values as s32[3] has elements; got {2}"},
      {[&] { Counting({0}).GetFirstElement<int32_t>(); },
       "a literal of the shape s32[0] has no elements"},
      {[&] { matrix.DecomposeTuple(); }, "expected a tuple to take apart; got s32[2,3]"},
      {[&] { xla::BorrowingLiteral(leaf, pair.shape()); },
       "expected a pointer for each of the 2 leaves of (s32[2], s32[0]); got 1"},
      {[&] { Literal(ShapeUtil::MakeShape(xla::F32, {2}, {true})); },
       "a literal of the dynamic shape f32[<=2]: expected fixed dimensions"},
  };
  for (const auto& [call, message] : cases) EXPECT_DEATH(call(), HasSubstr(message)) << message;
  const Literal part = pair.SubLiteral({0});
  EXPECT_DEATH(pair.data<int32_t>({0}),
               HasSubstr("the elements of this literal of the shape s32[2] were moved away"));
  // There were none to move.
  EXPECT_TRUE(pair.data<int32_t>({1}).empty());
}

}  // namespace
