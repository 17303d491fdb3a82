#include "callbridge/hlo/shape_inference.h"

#include <string>

#include "callbridge/abi/shape_text.h"
#include "callbridge/hlo/implicit_broadcast.h"
#include "callbridge/hlo/opcode.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge::hlo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Shape Of(absl::string_view text) { return ParseShape(text).value(); }

// The shape, or the code and message of the error.
std::string Text(const absl::StatusOr<Shape>& shape) {
  return shape.ok() ? ShapeText(*shape) : shape.status().ToString();
}

TEST(OpcodeTest, NamesLeadBackToTheirOpcodes) {
  for (int i = 0; i <= static_cast<int>(Opcode::kTuple); ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    EXPECT_EQ(ParseOpcode(OpcodeName(opcode)), opcode) << OpcodeName(opcode);
  }
  EXPECT_EQ(ParseOpcode("fusion"), std::nullopt);
  EXPECT_EQ(ParseOpcode(""), std::nullopt);
  EXPECT_EQ(ParseOpcode("Add"), std::nullopt);
}

TEST(OpcodeTest, TellsHowManyOperandsAndOfWhichKind) {
  EXPECT_EQ(OperandCount(Opcode::kCustomCall), -1);
  EXPECT_EQ(OperandCount(Opcode::kParameter), 0);
  EXPECT_EQ(OperandCount(Opcode::kAddDependency), 2);
  EXPECT_TRUE(IsElementwiseBinary(Opcode::kMinimum));
  EXPECT_FALSE(IsElementwiseBinary(Opcode::kAddDependency));
  EXPECT_FALSE(IsElementwiseBinary(Opcode::kNegate));
  EXPECT_TRUE(IsElementwiseUnary(Opcode::kAbs));
  EXPECT_FALSE(IsElementwiseUnary(Opcode::kCopy));
  EXPECT_FALSE(IsElementwiseUnary(Opcode::kConvert));
}

TEST(ShapeInferenceTest, BinaryWantsEqualShapesAndForgetsLayouts) {
  EXPECT_EQ(Text(InferBinary(Opcode::kAdd, Of("f32[2,3]{0,1}"), Of("f32[2,3]"))), "f32[2,3]");
  EXPECT_EQ(Text(InferBinary(Opcode::kMaximum, Of("pred[]"), Of("pred[]"))), "pred[]");
  const auto infer = [](Opcode opcode, absl::string_view left, absl::string_view right) {
    return Text(InferBinary(opcode, Of(left), Of(right)));
  };
  EXPECT_THAT(infer(Opcode::kAdd, "f32[2]", "s32[2]"), HasSubstr("f32[2] and s32[2]"));
  EXPECT_THAT(infer(Opcode::kAdd, "f32[2]", "f32[3]"), HasSubstr("f32[2] and f32[3]"));
  EXPECT_THAT(infer(Opcode::kAdd, "f32[2]", "f32[2,1]"), HasSubstr("f32[2] and f32[2,1]"));
  EXPECT_THAT(infer(Opcode::kAdd, "(f32[2]{0})", "f32[2]"), HasSubstr("lhs of binary operation "));
  EXPECT_THAT(infer(Opcode::kAdd, "f32[2]", "token[]"), HasSubstr("rhs of binary operation add"));
  EXPECT_THAT(infer(Opcode::kSubtract, "pred[]", "pred[]"), HasSubstr("got PRED"));
  EXPECT_THAT(infer(Opcode::kDivide, "pred[]", "pred[]"), HasSubstr("got PRED"));
}

TEST(ShapeInferenceTest, AbsOfComplexIsReal) {
  EXPECT_EQ(Text(InferUnary(Opcode::kAbs, Of("c64[2]"))), "f32[2]");
  EXPECT_EQ(Text(InferUnary(Opcode::kAbs, Of("c128[]"))), "f64[]");
  EXPECT_EQ(Text(InferUnary(Opcode::kAbs, Of("s8[1]{0}"))), "s8[1]");
  EXPECT_EQ(Text(InferUnary(Opcode::kNegate, Of("c64[2]"))), "c64[2]");
  EXPECT_EQ(Text(InferUnary(Opcode::kNegate, Of("u8[2]"))), "u8[2]");
  EXPECT_THAT(Text(InferUnary(Opcode::kAbs, Of("u4[2]"))), HasSubstr("got U4"));
  EXPECT_THAT(Text(InferUnary(Opcode::kAbs, Of("pred[2]"))), HasSubstr("got PRED"));
  EXPECT_THAT(Text(InferUnary(Opcode::kNegate, Of("pred[2]"))), HasSubstr("got PRED"));
  EXPECT_THAT(Text(InferUnary(Opcode::kNegate, Of("()"))), HasSubstr("but got ()"));
}

TEST(ShapeInferenceTest, BroadcastPutsEachDimensionSomewhere) {
  const auto check = [](absl::string_view operand, std::vector<int64_t> dimensions,
                        absl::string_view result) {
    return CheckBroadcast(Of(operand), dimensions, Of(result)).ToString();
  };
  EXPECT_EQ(check("f32[]", {}, "f32[2,3]"), "OK");
  EXPECT_EQ(check("f32[2,3]", {0, 2}, "f32[2,4,3]"), "OK");
  EXPECT_EQ(check("f32[2,3]", {1, 0}, "f32[3,2]"), "OK");
  EXPECT_THAT(check("f32[2]", {}, "f32[2]"), HasSubstr("operand rank: 1"));
  EXPECT_THAT(check("f32[2]", {1}, "f32[2]"), HasSubstr("dimension 1 is out of bound"));
  EXPECT_THAT(check("f32[2]", {-1}, "f32[2]"), HasSubstr("dimension -1 is out of bound"));
  EXPECT_THAT(check("f32[2,2]", {0, 0}, "f32[2,2]"), HasSubstr("dimension 0 is there twice"));
  EXPECT_THAT(check("f32[1]", {0}, "f32[2]"), HasSubstr("has size 2 in the result"));
  EXPECT_THAT(check("f32[2]", {0}, "s32[2]"), HasSubstr("keeps the element type"));
  EXPECT_THAT(check("()", {}, "f32[2]"), HasSubstr("for operand of broadcast, but got ()"));
  EXPECT_THAT(check("f32[]", {}, "token[]"), HasSubstr("for result of broadcast"));
}

TEST(ShapeInferenceTest, ReshapeKeepsTheElements) {
  EXPECT_EQ(Text(InferReshape(Of("f32[2,6]{0,1}"), {3, 4})), "f32[3,4]");
  EXPECT_EQ(Text(InferReshape(Of("f32[0,6]"), {9, 0})), "f32[9,0]");
  EXPECT_EQ(Text(InferReshape(Of("f32[]"), {1, 1})), "f32[1,1]");
  EXPECT_THAT(Text(InferReshape(Of("f32[2,3]"), {5})), HasSubstr("from=6 (f32[2,3]) to=5"));
  EXPECT_THAT(Text(InferReshape(Of("f32[2]"), {-2})), HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Text(InferReshape(Of("f32[1]"), {int64_t{1} << 62, 4})),
              HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Text(InferReshape(Of("(f32[])"), {})), HasSubstr("reshape, but got (f32[])"));
}

TEST(ShapeInferenceTest, ConvertIsForArrays) {
  EXPECT_EQ(Text(InferConvert(Of("f32[2]{0}"), PrimitiveType::kS4)), "s4[2]");
  EXPECT_EQ(Text(InferConvert(Of("f32[2]"), PrimitiveType::kC64)), "c64[2]");
  EXPECT_EQ(Text(InferConvert(Of("c128[2]"), PrimitiveType::kC64)), "c64[2]");
  EXPECT_THAT(Text(InferConvert(Of("c64[2]"), PrimitiveType::kF32)), HasSubstr("UNIMPLEMENTED"));
  for (PrimitiveType type :
       {PrimitiveType::kTuple, PrimitiveType::kToken, PrimitiveType::kInvalid}) {
    EXPECT_THAT(Text(InferConvert(Of("f32[2]"), type)), HasSubstr("cannot convert from f32[2]"));
  }
  EXPECT_THAT(Text(InferConvert(Of("token[]"), PrimitiveType::kF32)), HasSubstr("from token[]"));
}

TEST(ShapeInferenceTest, TupleElements) {
  const Shape tuple = Of("(f32[2]{0},(s32[]))");
  EXPECT_EQ(Text(InferGetTupleElement(tuple, 0)), "f32[2]");
  EXPECT_EQ(Text(InferGetTupleElement(tuple, 1)), "(s32[])");
  EXPECT_THAT(Text(InferGetTupleElement(tuple, 2)), HasSubstr("index (2) out of range"));
  EXPECT_THAT(Text(InferGetTupleElement(tuple, -1)), HasSubstr("index (-1) out of range"));
  EXPECT_THAT(Text(InferGetTupleElement(Of("f32[2]"), 0)), HasSubstr("not a tuple; got f32[2]"));
}

// Packed, the elements are few enough; as natural ones they are more bytes than int64 counts.
TEST(ShapeInferenceTest, ShapesThatNeedTheirLayoutAreNoCrash) {
  const Shape packed = Of("f64[4611686018427387904]{0:E(1)}");
  EXPECT_THAT(Text(InferUnary(Opcode::kNegate, packed)), HasSubstr("INVALID_ARGUMENT"));
  EXPECT_THAT(Text(InferBinary(Opcode::kAdd, packed, Of("f32[]"))), HasSubstr("f64[46116"));
  const Shape tuple = Shape::MakeTuple({packed}).value();
  EXPECT_THAT(Text(InferGetTupleElement(tuple, 0)), HasSubstr("f64[46116"));
  EXPECT_THAT(Text(InferUnary(Opcode::kNegate, tuple)), HasSubstr("but got (f64["));
}

TEST(ImplicitBroadcastTest, CombinesAsXlaDoes) {
  const auto infer = [](std::vector<int64_t> left, std::vector<int64_t> right,
                        std::vector<int64_t> dimensions = {}) {
    return InferImplicitBroadcast(left, right, dimensions, "add", "l", "r").value();
  };
  EXPECT_THAT(infer({}, {}), IsEmpty());
  EXPECT_THAT(infer({}, {2, 3}), ElementsAre(2, 3));
  EXPECT_THAT(infer({2, 3}, {}), ElementsAre(2, 3));
  EXPECT_THAT(infer({2, 1}, {1, 3}), ElementsAre(2, 3));
  EXPECT_THAT(infer({0, 1}, {1, 0}), ElementsAre(0, 0));
  EXPECT_THAT(infer({2, 3}, {2, 3}, {0, 1}), ElementsAre(2, 3));
  EXPECT_THAT(infer({3}, {2, 3}, {1}), ElementsAre(2, 3));
  EXPECT_THAT(infer({1, 3, 1}, {2, 1}, {0, 1}), ElementsAre(2, 3, 1));
  // The genuine builder's texts of what does not go are compared by genuine/test_builder.py.
}

TEST(ImplicitBroadcastTest, DimensionsGoUpwards) {
  const auto infer = [](const std::vector<int64_t>& dimensions) {
    const std::vector<int64_t> larger = {2, 2, 2}, smaller = {2, 2};
    return InferImplicitBroadcast(larger, smaller, dimensions, "add", "l", "r").status().ToString();
  };
  EXPECT_EQ(infer({0, 2}), "OK");
  EXPECT_THAT(infer({2, 0}), HasSubstr("order is wrong"));
  EXPECT_THAT(infer({1, 1}), HasSubstr("order is wrong"));
}

TEST(ImplicitBroadcastTest, StretchesDimensionsOfSizeOne) {
  const Stretch stretch = StretchOf({2, 1, 1, 4}, {2, 3, 1, 4}).value();
  EXPECT_THAT(stretch.sizes, ElementsAre(2, 1, 4));
  EXPECT_THAT(stretch.dimensions, ElementsAre(0, 2, 3));
  EXPECT_THAT(StretchOf({2}, {3}).status().ToString(), HasSubstr("operand dimension is 2"));
  EXPECT_THAT(StretchOf({1}, {3, 3}).status().ToString(), HasSubstr("expected 2 dimensions"));
}

}  // namespace
}  // namespace callbridge::hlo
