#include "callbridge/hlo/literal.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/hlo/literal_util.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::xla::Literal;
using ::xla::LiteralProto;
using ::xla::LiteralUtil;
using ::xla::PrimitiveType;
using ::xla::ShapeUtil;

LiteralProto Proto(const std::string& text) {
  LiteralProto proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

std::vector<PrimitiveType> ArrayTypes() {
  std::vector<PrimitiveType> types;
  for (int number = 0; number < xla::PrimitiveType_ARRAYSIZE; ++number) {
    const auto type = static_cast<PrimitiveType>(number);
    if (ShapeUtil::IsArrayPrimitiveType(type)) types.push_back(type);
  }
  return types;
}

TEST(LiteralProto, EveryTypeComesBack) {
  EXPECT_EQ(ArrayTypes().size(), 30u);
  for (const PrimitiveType type : ArrayTypes()) {
    for (const int64_t count : {0, 1, 2, 3, 7, 64}) {
      Literal literal = LiteralUtil::CreateFromDimensions(type, {count});
      const int bits = xla::primitive_util::BitWidth(type);
      const int mask = type == xla::PRED ? 1 : bits < 8 ? (1 << bits) - 1 : 0xff;
      auto* bytes = static_cast<unsigned char*>(literal.untyped_data());
      for (int64_t i = 0; i < literal.size_bytes(); ++i) {
        bytes[i] = static_cast<unsigned char>((i * 37 + 11) & mask);
      }
      const LiteralProto proto = literal.ToProto();
      const auto again = Literal::CreateFromProto(proto);
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_TRUE(*again == literal) << again->ToString() << literal.ToString();
    }
  }
}

TEST(LiteralProto, FourBitsHaveAByteInMessages) {
  const Literal literal = LiteralUtil::CreateR1<xla::s4>({xla::s4(1), xla::s4(-2), xla::s4(7)});
  LiteralProto proto = literal.ToProto();
  EXPECT_EQ(proto.s4s(), std::string("\x01\x0e\x07", 3));  // as jaxlib 0.10.2 has it
  proto.set_s4s(std::string("\xf1\x0e\xf7", 3));           // upper halves mean nothing
  const auto again = Literal::CreateFromProto(proto);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->ToString(), "s4[3] {1, -2, 7}");
  EXPECT_TRUE(*again == literal);
  Literal upper_bits = literal.Clone();
  static_cast<char*>(upper_bits.untyped_data())[1] ^= 0x50;
  EXPECT_TRUE(upper_bits == literal);
  static_cast<char*>(upper_bits.untyped_data())[1] ^= 0x08;
  EXPECT_FALSE(upper_bits == literal);
  EXPECT_EQ(static_cast<int>(xla::s4(9)), -7);
  EXPECT_EQ(static_cast<int>(xla::u4(25)), 9);
}

TEST(LiteralProto, RefusesOtherSizesBeforeItTakesMemory) {
  const std::string large = "shape { element_type: F32 dimensions: 1099511627776 } ";
  const std::string f32 = "shape { element_type: F32 } ";
  const std::string token = "shape { element_type: TOKEN } ";
  const std::string pair =
      "shape { element_type: TUPLE tuple_shapes { element_type: F32 } "
      "tuple_shapes { element_type: TOKEN } } ";
  const std::pair<std::string, const char*> cases[] = {
      {"", "to have a shape"},
      {"f32s: 1", "to have a shape"},
      {"shape {}", "got number 0"},
      {"shape { element_type: F32 }", "expected its 1 elements, got 0"},
      {large, "expected its 1099511627776 elements, got 0"},
      {large + "f32s: [1, 2, 3]", "got 3 numbers"},
      {"shape { element_type: F32 dimensions: 2 } f32s: [1, 2, 3]", "got 3 numbers"},
      {"shape { element_type: F32 dimensions: 2 } f64s: [1, 2]", "got 0 numbers"},
      {"shape { element_type: F32 dimensions: 0 } f32s: 1", "got 1 numbers"},
      {"shape { element_type: C64 dimensions: 2 } c64s: [1, 2, 3]", "got 3 numbers"},
      {"shape { element_type: C64 dimensions: 2 } c64s: [1, 2, 3, 4, 5]", "got 5 numbers"},
      {"shape { element_type: F16 dimensions: 2 } f16s: 'abc'", "got 3 bytes"},
      {"shape { element_type: F16 dimensions: 2 } f16s: 'ab'", "got 2 bytes"},
      {"shape { element_type: S4 dimensions: 5 } s4s: 'ab'", "got 2 bytes"},
      {"shape { element_type: S4 dimensions: 5 } s4s: 'abcd'", "got 4 bytes"},
      {"shape { element_type: S4 dimensions: 9223372036854775807 } s4s: 'abcd'", "got 4 bytes"},
      {"shape { element_type: PRED dimensions: 1 } u8s: 'a'", "got 0 numbers"},
      {pair, "expected 2 tuple_literals; got 0"},
      {pair + "tuple_literals { " + f32 + "f32s: 1 }", "expected 2 tuple_literals; got 1"},
      {pair + "tuple_literals { " + f32 + "f32s: [1, 2] } tuple_literals { " + token + "}",
       "got 2 numbers"},
      {pair + "tuple_literals { " + f32 + "f32s: 1 } tuple_literals { " + f32 + "f32s: 1 }",
       "expected element 1 to have the shape token[]; got f32[]"},
      {pair + "tuple_literals { f32s: 1 } tuple_literals { " + token + "}", "got number 0"},
      {f32 + "f32s: 1 tuple_literals {} tuple_literals { f32s: 2 }",
       "expected 0 tuple_literals; got 2"},
      {token + "tuple_literals {}", "expected 0 tuple_literals; got 1"},
  };
  for (const auto& [text, message] : cases) {
    const auto literal = Literal::CreateFromProto(Proto(text));
    EXPECT_EQ(literal.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(literal.status().message()), HasSubstr(message)) << text;
  }
}

TEST(LiteralProto, ShapesAloneMakeZerosWhereThatIsAsked) {
  const auto zeros = Literal::CreateFromProto(Proto("shape { element_type: S32 dimensions: 3 }"),
                                              /*prohibit_empty_literal=*/false);
  ASSERT_TRUE(zeros.ok()) << zeros.status();
  EXPECT_EQ(zeros->ToString(), "s32[3] {0, 0, 0}");
  const auto large = Literal::CreateFromProto(
      Proto("shape { element_type: U8 dimensions: 9223372036854775807 }"), false);
  EXPECT_EQ(large.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(large.status().message()), HasSubstr("9223372036854775807 bytes"));
}

TEST(Literal, MakeRefuses) {
  EXPECT_FALSE(Literal::Make(xla::Shape()).ok());
  EXPECT_EQ(Literal::Make(ShapeUtil::MakeShape(xla::F32, {2}, {true})).status().code(),
            absl::StatusCode::kUnimplemented);
  const Literal whole_bytes(ShapeUtil::MakeShapeWithLayout(xla::S4, {9}, {0}, {}, 4));
  EXPECT_EQ(whole_bytes.size_bytes(), 9);
  // The size of a packed layout is not what the elements take here.
  EXPECT_EQ(Literal::Make(ShapeUtil::MakeShapeWithLayout(xla::S4, {INT64_MAX}, {0}, {}, 4))
                .status()
                .code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(Literal, IsZeroAndAlignedAtFirst) {
  const Literal literal(ShapeUtil::MakeTuple(
      {ShapeUtil::MakeShape(xla::F64, {1000}), ShapeUtil::MakeShape(xla::U8, {3})}));
  for (const xla::ShapeIndex& index : {xla::ShapeIndex{0}, xla::ShapeIndex{1}}) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(literal.untyped_data(index)) % 64, 0u);
  }
  for (const double element : literal.data<double>({0})) EXPECT_EQ(element, 0);
}

TEST(Literal, MovesLeaveEmptyTuples) {
  Literal one = LiteralUtil::CreateR1<int32_t>({1, 2});
  Literal two = std::move(one);
  // What was moved from is an empty tuple, as the name of the test says.
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  EXPECT_EQ(one.shape().ToString(), "()");
  one = LiteralUtil::CreateR0<float>(3);
  std::swap(one, two);
  EXPECT_EQ(one.ToString() + two.ToString(), "s32[2] {1, 2}f32[] 3");
  Literal& self = one;
  one = std::move(self);
  EXPECT_EQ(one.ToString(), "s32[2] {1, 2}");
  EXPECT_TRUE(Literal() == LiteralUtil::MakeTuple({}));
}

TEST(Literal, PartsMoveInAndOut) {
  const auto make = [] {
    return LiteralUtil::MakeTupleOwned(
        LiteralUtil::CreateR0<float>(1),
        LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<int8_t>({2, 3}), Literal()));
  };
  Literal whole = make();
  const void* elements = whole.untyped_data({1, 0});
  Literal part = whole.SubLiteral({1});
  EXPECT_EQ(part.ToStringOneline(), "( s8[2] {2, 3}, (  ) )");
  EXPECT_EQ(part.untyped_data({0}), elements) << "moved, not copied";
  EXPECT_EQ(whole.Get<float>({}, {0}), 1);
  EXPECT_TRUE(whole.MoveFrom(std::move(part), {1}).ok());
  EXPECT_TRUE(whole == make());
  EXPECT_FALSE(whole.MoveFrom(LiteralUtil::CreateR0<double>(1), {0}).ok());
  EXPECT_FALSE(whole.MoveFrom(LiteralUtil::CreateR0<float>(1), {7}).ok());
  EXPECT_TRUE(whole == make());
  std::vector<Literal> parts = whole.DecomposeTuple();
  EXPECT_EQ(parts[1].untyped_data({0}), elements);
  parts[0] = Literal();
  EXPECT_EQ(parts[1].ToStringOneline(), "( s8[2] {2, 3}, (  ) )");
  EXPECT_TRUE(Literal().DecomposeTuple().empty());
}

TEST(Literal, ReadsAndWritesThroughLayouts) {
  Literal columns(ShapeUtil::MakeShapeWithDenseLayout(xla::S32, {2, 3}, {0, 1}));
  ASSERT_TRUE(columns
                  .Populate<int32_t>([](absl::Span<const int64_t> index) {
                    return static_cast<int32_t>(10 * index[0] + index[1]);
                  })
                  .ok());
  EXPECT_THAT(columns.data<int32_t>(), ElementsAre(0, 10, 1, 11, 2, 12));
  EXPECT_EQ(columns.Get<int32_t>({1, 2}), 12);
  EXPECT_EQ(columns.GetAsString({1, 2}), "12");
  std::vector<int32_t> cells;
  columns.EachCell<int32_t>([&](absl::Span<const int64_t> index, int32_t value) {
    EXPECT_EQ(value, 10 * index[0] + index[1]);
    cells.push_back(value);
  });
  EXPECT_THAT(cells, ElementsAre(0, 1, 2, 10, 11, 12));
  Literal rows(ShapeUtil::MakeShape(xla::S32, {2, 3}));
  ASSERT_TRUE(rows.CopyFrom(columns).ok());
  EXPECT_THAT(rows.data<int32_t>(), ElementsAre(0, 1, 2, 10, 11, 12));
  EXPECT_TRUE(rows == columns);
  rows.Set<int32_t>({1, 0}, 5);
  EXPECT_TRUE(rows != columns);
  EXPECT_FALSE(rows.CopyFrom(LiteralUtil::CreateR0<int32_t>(1)).ok());
  EXPECT_FALSE(rows.CopyFrom(columns, {0}).ok());
}

TEST(Literal, NumbersAsOtherNumbers) {
  EXPECT_EQ(LiteralUtil::MinValue(xla::S4).GetIntegralAsS64({}), -8);
  EXPECT_EQ(LiteralUtil::MaxValue(xla::U2).GetIntegralAsS64({}), 3);
  EXPECT_EQ(LiteralUtil::MinValue(xla::S64).GetIntegralAsS64({}), INT64_MIN);
  EXPECT_EQ(LiteralUtil::MaxValue(xla::U64).GetIntegralAsS64({}), std::nullopt);
  EXPECT_EQ(LiteralUtil::One(xla::F32).GetIntegralAsS64({}), std::nullopt);
  EXPECT_EQ(LiteralUtil::One(xla::S32).GetAsDouble({}), std::nullopt);
  for (const PrimitiveType type : ArrayTypes()) {
    const Literal one = LiteralUtil::One(type);
    if (xla::primitive_util::IsFloatingPointType(type)) {
      EXPECT_EQ(one.GetAsDouble({}), 1.0) << type;
      EXPECT_EQ(LiteralUtil::Zero(type).GetAsDouble({}),
                type == xla::F8E8M0FNU ? std::ldexp(1.0, -127) : 0.0);
    } else if (!xla::primitive_util::IsComplexType(type)) {
      EXPECT_EQ(one.GetIntegralAsS64({}), type == xla::S1 ? -1 : 1) << type;
    }
  }
  EXPECT_EQ(LiteralUtil::MaxValue(xla::F8E4M3FNUZ).ToString(), "f8e4m3fnuz[] 240");
  EXPECT_EQ(LiteralUtil::MinValue(xla::F4E2M1FN).ToString(), "f4e2m1fn[] -6");
  EXPECT_EQ(LiteralUtil::CreateR1U8("a\0b").GetR1U8AsString(), "a");
}

TEST(BorrowingLiteral, LooksAtMemoryOfOthers) {
  const std::vector<float> floats = {1, 2, 3, 4};
  const bool flag = true;
  const xla::Shape matrix = ShapeUtil::MakeShapeWithDenseLayout(xla::F32, {2, 2}, {0, 1});
  const auto* const data = reinterpret_cast<const char*>(floats.data());
  const xla::BorrowingLiteral array(data, matrix);
  EXPECT_EQ(array.untyped_data(), floats.data());
  EXPECT_EQ(array.ToStringOneline(), "f32[2,2] { { 1, 3 }, { 2, 4 } }");
  const char* const leaves[] = {data, nullptr, reinterpret_cast<const char*>(&flag)};
  const xla::Shape tuple =
      ShapeUtil::MakeTuple({matrix, ShapeUtil::MakeTuple({ShapeUtil::MakeTokenShape()}),
                            ShapeUtil::MakeShape(xla::PRED, {})});
  xla::BorrowingLiteral kept;
  {
    const xla::BorrowingLiteral borrowed(leaves, tuple);
    kept = borrowed;
  }
  EXPECT_EQ(kept.ToStringOneline(), "( f32[2,2] { { 1, 3 }, { 2, 4 } }, ( token ), pred[] true )");
  EXPECT_EQ(xla::LiteralSlice(kept, {2}).ToString(), "pred[] true");

  std::vector<float> target(4);
  xla::MutableBorrowingLiteral writes(reinterpret_cast<char*>(target.data()), matrix);
  ASSERT_TRUE(writes.CopyFrom(array).ok());
  EXPECT_EQ(target, floats);
  Literal owner = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR0<float>(0));
  xla::MutableBorrowingLiteral view(xla::MutableBorrowingLiteral(&owner), {0});
  view.Set<float>({}, 9);
  EXPECT_EQ(owner.Get<float>({}, {0}), 9);
}

TEST(SmallFloats, RoundToNearestEven) {
  EXPECT_EQ(xla::half(65519.0f).x, 0x7bff);
  EXPECT_EQ(xla::half(65520.0f).x, 0x7c00);
  EXPECT_EQ(xla::half(0x1p-25f).x, 0x0000);
  EXPECT_EQ(xla::half(0x1.8p-24f).x, 0x0002);
  EXPECT_EQ(xla::half(-NAN).x & 0x7fff, 0x7e00);
  EXPECT_TRUE(std::isnan(static_cast<float>(xla::half::FromBits(0x7c01))));
  EXPECT_EQ(xla::bfloat16(0x1.01p0f).x, 0x3f80);
  EXPECT_EQ(xla::bfloat16(0x1.03p0f).x, 0x3f82);
  EXPECT_TRUE(std::isnan(static_cast<float>(xla::bfloat16(NAN))));
  EXPECT_EQ(static_cast<int>(xla::half(2) + xla::half(3) * xla::half(4)), 14);
  EXPECT_EQ(static_cast<double>(-xla::bfloat16(1.5)), -1.5);
}

template <typename Float>
class SmallFloatsTest : public ::testing::Test {};
using SmallFloats = ::testing::Types<xla::half, xla::bfloat16>;
TYPED_TEST_SUITE(SmallFloatsTest, SmallFloats);

TYPED_TEST(SmallFloatsTest, AreComparedAsNumbers) {
  const TypeParam zero(0.0f), minus_zero(-0.0f), one(1), two(2), nan(NAN);
  EXPECT_TRUE(zero == minus_zero && !(zero != minus_zero) && !(minus_zero < zero));
  EXPECT_TRUE(nan != nan && !(nan == nan) && !(nan < nan) && !(nan <= nan) && !(nan >= nan));
  EXPECT_TRUE(one != two && !(one == two) && one < two && one <= two && !(two <= one));
  EXPECT_TRUE(two > one && two >= one && one >= one && one <= one && !(one > one) && !(one < one));
  EXPECT_FALSE(one > two || one >= two);
}

TYPED_TEST(SmallFloatsTest, AreComputedAsNumbers) {
  const TypeParam three(3), two(2);
  EXPECT_EQ(static_cast<float>(three + two), 5);
  EXPECT_EQ(static_cast<float>(three - two), 1);
  EXPECT_EQ(static_cast<float>(three * two), 6);
  EXPECT_EQ(static_cast<float>(three / two), 1.5f);
  EXPECT_EQ(static_cast<float>(-three), -3);
  EXPECT_EQ(::testing::PrintToString(three / two), "1.5");
}

using LiteralDeathTest = ::testing::Test;

TEST(LiteralDeathTest, EndsWithAMessageWhereThereIsNoStatus) {
  Literal pair = LiteralUtil::MakeTupleOwned(LiteralUtil::CreateR1<float>({1, 2}));
  EXPECT_DEATH(pair.data<int32_t>({0}), "expected the elements of f32.2. .*; got s32");
  EXPECT_DEATH(pair.Get<float>({2}, {0}), "expected an index into f32.2.; got .2.");
  EXPECT_DEATH(pair.Get<float>({-1}, {0}), "expected an index");
  EXPECT_DEATH(pair.Get<float>({0, 0}, {0}), "expected an index");
  EXPECT_DEATH(pair.data<float>({1}), "has nothing at .1.");
  EXPECT_DEATH(pair.data<float>({0, 0}), "has nothing at .0,0.");
  EXPECT_DEATH(LiteralUtil::CreateR2<float>({{1}, {2, 3}}), "expected as many values");
  EXPECT_DEATH(Literal(ShapeUtil::MakeShape(xla::U8, {INT64_MAX})), "no memory for the");
  EXPECT_DEATH(LiteralUtil::MinValue(xla::C64), "an order; got c64");
  EXPECT_DEATH(LiteralUtil::Zero(xla::TOKEN), "a type that has a size");
  const char* const leaves[] = {nullptr, nullptr};
  EXPECT_DEATH(xla::BorrowingLiteral(leaves, pair.shape()), "each of the 1 leaves");
  const Literal part = pair.SubLiteral({0});
  EXPECT_DEATH(pair.data<float>({0}), "were moved away");
}

}  // namespace
