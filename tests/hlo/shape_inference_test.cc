#include "callbridge/hlo/shape_inference.h"

#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
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
  const struct {
    absl::string_view name;
    int operand_count;
    bool elementwise;
  } rows[] = {
      {"abs", 1, true},           {"add", 2, true},        {"add-dependency", 2, false},
      {"after-all", -1, false},   {"broadcast", 1, false}, {"call", -1, false},
      {"constant", 0, false},     {"convert", 1, false},   {"copy", 1, false},
      {"custom-call", -1, false}, {"divide", 2, true},     {"get-tuple-element", 1, false},
      {"maximum", 2, true},       {"minimum", 2, true},    {"multiply", 2, true},
      {"negate", 1, true},        {"parameter", 0, false}, {"reshape", 1, false},
      {"subtract", 2, true},      {"tuple", -1, false},
  };
  EXPECT_EQ(std::size(rows), static_cast<size_t>(Opcode::kTuple) + 1);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::optional<Opcode> opcode = ParseOpcode(row.name);
    ASSERT_TRUE(opcode.has_value());
    EXPECT_EQ(OperandCount(*opcode), row.operand_count);
    EXPECT_EQ(IsElementwiseBinary(*opcode), row.elementwise && row.operand_count == 2);
    EXPECT_EQ(IsElementwiseUnary(*opcode), row.elementwise && row.operand_count == 1);
  }
  // A name leads to the opcode that is called so in C++ too.
  EXPECT_EQ(OpcodeName(Opcode::kMaximum), "maximum");
  EXPECT_EQ(OpcodeName(Opcode::kMinimum), "minimum");
  EXPECT_EQ(OpcodeName(Opcode::kSubtract), "subtract");
  EXPECT_EQ(OpcodeName(Opcode::kAdd), "add");
  EXPECT_EQ(OpcodeName(Opcode::kMultiply), "multiply");
  EXPECT_EQ(OpcodeName(Opcode::kDivide), "divide");
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

TEST(ShapeInferenceTest, ArithmeticOfAllButPred) {
  for (const Opcode opcode : {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kDivide,
                              Opcode::kMaximum, Opcode::kMinimum}) {
    for (absl::string_view shape : {"f32[2]", "s4[2]", "u8[]", "c64[0]", "bf16[2,3]"}) {
      EXPECT_EQ(Text(InferBinary(opcode, Of(shape), Of(shape))), shape);
    }
    const bool is_refused = opcode == Opcode::kSubtract || opcode == Opcode::kDivide;
    EXPECT_EQ(InferBinary(opcode, Of("pred[2]"), Of("pred[2]")).ok(), !is_refused);
  }
}

TEST(ShapeInferenceTest, NoAbsOfWhatHasNoSign) {
  for (absl::string_view type : {"pred", "u2", "u4", "u8", "u16", "u32", "u64"}) {
    const Shape shape = Of(absl::StrCat(type, "[2]"));
    EXPECT_EQ(Text(InferUnary(Opcode::kAbs, shape)),
              absl::StrCat("INVALID_ARGUMENT: Expected element type in shape to be floating or "
                           "complex for abs operation; got ",
                           absl::AsciiStrToUpper(type), ". (Signed integers will do as well.)"));
    EXPECT_EQ(InferUnary(Opcode::kNegate, shape).ok(), type != "pred");
  }
  for (absl::string_view type :
       {"s2", "s4", "s8", "s16", "s32", "s64", "f16", "bf16", "f32", "f64", "f8e5m2", "f8e4m3fn"}) {
    const std::string text = absl::StrCat(type, "[2]");
    EXPECT_EQ(Text(InferUnary(Opcode::kAbs, Of(text))), text);
    EXPECT_EQ(Text(InferUnary(Opcode::kNegate, Of(text))), text);
  }
}

TEST(ShapeInferenceTest, ErrorsWordForWord) {
  const auto binary = [](Opcode opcode, absl::string_view left, absl::string_view right) {
    return InferBinary(opcode, Of(left), Of(right)).status();
  };
  const auto broadcast = [](absl::string_view operand, std::vector<int64_t> dimensions,
                            absl::string_view result) {
    return CheckBroadcast(Of(operand), dimensions, Of(result));
  };
  const struct {
    absl::Status status;
    absl::string_view text;
  } cases[] = {
      {binary(Opcode::kAdd, "token[]", "()"),
       "Expected array argument for lhs of binary operation add, but got token[]."},
      {binary(Opcode::kAdd, "f32[2]", "(f32[2]{0})"),
       "Expected array argument for rhs of binary operation add, but got (f32[2])."},
      {binary(Opcode::kMaximum, "f32[2]{0}", "s32[3]"),
       "Binary op maximum with different element types: f32[2] and s32[3]. Convert one of them "
       "first."},
      {binary(Opcode::kMaximum, "f32[2]{0}", "f32[3]"),
       "Binary op maximum with incompatible shapes: f32[2] and f32[3]."},
      {binary(Opcode::kSubtract, "pred[]", "pred[]"),
       "Expected element type in shape to be arithmetic type for operation subtract; got PRED."},
      {InferUnary(Opcode::kNegate, Of("pred[]")).status(),
       "Expected element type in shape to be integral, floating or complex for negate operation; "
       "got PRED."},
      {InferUnary(Opcode::kAbs, Of("token[]")).status(),
       "Expected array argument for operand of unary operation, but got token[]."},
      {broadcast("token[]", {}, "()"),
       "Expected array argument for operand of broadcast, but got token[]."},
      {broadcast("f32[]", {}, "()"),
       "Expected array argument for result of broadcast, but got ()."},
      {broadcast("f32[2]", {0}, "s32[3]"),
       "A broadcast keeps the element type, but leads from f32[2] to s32[3]. Convert it first."},
      {broadcast("f32[2]", {0, 1}, "f32[2,3]"),
       "Size of broadcast_dimensions has to match operand's rank; operand rank: 1, size of "
       "broadcast_dimensions 2."},
      {broadcast("f32[2]", {3}, "f32[2,3]"),
       "Broadcast dimension 3 is out of bound: the result has 2 dimensions."},
      {broadcast("f32[2]", {2}, "f32[2,3]"),
       "Broadcast dimension 2 is out of bound: the result has 2 dimensions."},
      {broadcast("f32[3,3]", {1, 1}, "f32[2,3]"),
       "Broadcast dimension 1 occurs twice; each takes one of the operand's."},
      {broadcast("f32[2,5]", {0, 2}, "f32[2,3,4]"),
       "Broadcast dimension 2 has size 4 in the result, but the operand's dimension 1 has 5; from "
       "f32[2,5] to f32[2,3,4]."},
      {InferReshape(Of("token[]"), {}).status(),
       "Expected array argument for reshape, but got token[]."},
      {InferReshape(Of("f32[2,3]{0,1}"), {5}).status(),
       "Reshape operation has mismatched element counts: from=6 (f32[2,3]) to=5 (f32[5])."},
      {InferConvert(Of("f32[2]{0}"), PrimitiveType::kToken).status(),
       "Convert does not allow non-arrays, so cannot convert from f32[2] to TOKEN."},
      {InferConvert(Of("()"), PrimitiveType::kF32).status(),
       "Convert does not allow non-arrays, so cannot convert from () to F32."},
      {InferGetTupleElement(Of("f32[2]{0}"), 0).status(),
       "Operand to GetTupleElement() is not a tuple; got f32[2]"},
      {InferGetTupleElement(Of("()"), 0).status(),
       "GetTupleElement() index (0) out of range for tuple shape ()"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(c.status.code(), absl::StatusCode::kInvalidArgument) << c.text;
    EXPECT_EQ(c.status.message(), c.text);
  }
  EXPECT_EQ(InferConvert(Of("c128[2]"), PrimitiveType::kF64).status().ToString(),
            "UNIMPLEMENTED: Converting c128[2] to F64 takes its real part first, by an instruction "
            "that callbridge does not have: run this module on XLA.");
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
  EXPECT_THAT(check("f32[2,2]", {0, 0}, "f32[2,2]"), HasSubstr("dimension 0 occurs twice"));
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
  EXPECT_THAT(infer({2, 3}, {1}, {1}), ElementsAre(2, 3));
  EXPECT_THAT(infer({2, 3, 4}, {2, 4}, {0, 2}), ElementsAre(2, 3, 4));
}

TEST(ImplicitBroadcastTest, WhatDoesNotGo) {
  using Sizes = std::vector<int64_t>;
  const struct {
    Sizes left, right, dimensions;
    absl::string_view text;
  } cases[] = {
      {{2}, {3}, {}, "Binary op add with incompatible shapes: l and r."},
      {{2, 3}, {2, 2}, {}, "Binary op add with incompatible shapes: l and r."},
      {{2, 2}, {2, 3}, {}, "Binary op add with incompatible shapes: l and r."},
      {{2, 3},
       {2, 3},
       {1, 0},
       "Broadcast dimensions field must either be not set or be the identity on binary operations "
       "with operands of the same rank."},
      {{2, 3},
       {2, 3},
       {0},
       "Broadcast dimensions field must either be not set or be the identity on binary operations "
       "with operands of the same rank."},
      {{2, 3}, {3}, {}, "Shapes must be equal rank, but are l and r"},
      {{3}, {2, 3}, {}, "Shapes must be equal rank, but are l and r"},
      {{2, 3},
       {3},
       {0, 1},
       "Size of broadcast_dimensions has to match lower-rank operand's rank;  lower-rank operand's "
       "rank is 1, size of broadcast_dimensions is 2."},
      {{2, 3},
       {},
       {0},
       "Size of broadcast_dimensions has to match lower-rank operand's rank;  lower-rank operand's "
       "rank is 0, size of broadcast_dimensions is 1."},
      {{2, 3}, {3}, {-1}, "Broadcast dimension number (-1) cannot be negative."},
      {{2, 3},
       {3},
       {2},
       "Broadcast dimension number (2) too large; higher-rank operand has rank 2."},
      {{2, 3, 4}, {2, 4}, {0, 1}, "Broadcast dimension 1 mismatch: 4 != 3; l and r."},
      {{2, 4}, {2, 3, 4}, {0, 1}, "Broadcast dimension 1 mismatch: 4 != 3; l and r."},
      {{2, 2, 2}, {2, 2}, {2, 0}, "Broadcast dimensions order is wrong: 0 comes after 2."},
  };
  for (const auto& c : cases) {
    const absl::Status status =
        InferImplicitBroadcast(c.left, c.right, c.dimensions, "add", "l", "r").status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.text;
    EXPECT_EQ(status.message(), c.text);
  }
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
  const DegenerateDimensionBroadcast broadcast =
      InferDegenerateDimensionBroadcast({2, 1, 1, 4}, {2, 3, 1, 4}).value();
  EXPECT_THAT(broadcast.sizes, ElementsAre(2, 1, 4));
  EXPECT_THAT(broadcast.dimensions, ElementsAre(0, 2, 3));
  EXPECT_EQ(InferDegenerateDimensionBroadcast({5, 2}, {5, 3}).status().ToString(),
            "INVALID_ARGUMENT: Input dimension should be either 1 or equal to the output dimension "
            "it is broadcasting into; the 1th operand dimension is 2, the 1th output dimension is "
            "3.");
  EXPECT_EQ(InferDegenerateDimensionBroadcast({1}, {3, 3}).status().ToString(),
            "INVALID_ARGUMENT: broadcasting degenerate dimensions: expected 2 dimensions, got 1");
}

}  // namespace
}  // namespace callbridge::hlo
