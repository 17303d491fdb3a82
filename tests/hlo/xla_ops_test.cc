// What each function that adds an instruction adds, and what it refuses, word for word.
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/hlo/literal_util.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/xla_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::ElementsAre;
using xla::C64;
using xla::F32;
using xla::HloInstructionProto;
using xla::PRED;
using xla::S32;
using xla::Shape;
using xla::ShapeUtil;
using xla::XlaBuilder;
using xla::XlaComputation;
using xla::XlaOp;

Shape F32s(std::initializer_list<int64_t> dimensions) {
  return ShapeUtil::MakeShape(F32, dimensions);
}

Shape ColumnMajor(int64_t rows, int64_t columns) {
  return ShapeUtil::MakeShapeWithLayout(F32, {rows, columns}, {0, 1});
}

// Parameters get their numbers in the order in which they come.
XlaOp P(XlaBuilder& b, const Shape& shape) {
  const auto program = b.GetProgramShape();
  return xla::Parameter(&b, program.ok() ? program->parameters_size() : 0, shape, "p");
}

XlaOp P(XlaBuilder& b, std::initializer_list<int64_t> dimensions) { return P(b, F32s(dimensions)); }

// Of the entry computation, as "opcode shape operands dims={dimensions}".
std::vector<std::string> Instructions(XlaBuilder& b) {
  const XlaComputation computation = b.Build().ValueOrDie();
  std::vector<std::string> lines;
  for (const HloInstructionProto& instruction :
       computation.proto().computations().rbegin()->instructions()) {
    std::string line =
        absl::StrCat(instruction.opcode(), " ", Shape(instruction.shape()).ToString(true));
    for (const int64_t id : instruction.operand_ids()) absl::StrAppend(&line, " ", id);
    if (instruction.dimensions_size() > 0) {
      absl::StrAppend(&line, " dims={", absl::StrJoin(instruction.dimensions(), ","), "}");
    }
    lines.push_back(line);
  }
  return lines;
}

struct Added {
  std::function<XlaOp(XlaBuilder&)> build;
  // Without the parameters.
  std::vector<std::string> instructions;
};

void ExpectAdded(const std::vector<Added>& cases) {
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(i);
    XlaBuilder b("b");
    EXPECT_TRUE(cases[i].build(b).valid()) << b.first_error();
    if (!b.first_error().ok()) continue;
    std::vector<std::string> got;
    for (std::string& line : Instructions(b)) {
      if (line.rfind("parameter", 0) != 0) got.push_back(std::move(line));
    }
    EXPECT_EQ(got, cases[i].instructions);
  }
}

struct Refused {
  std::function<XlaOp(XlaBuilder&)> build;
  std::string error;
};

// Each with INVALID_ARGUMENT, unless the text says another code.
void ExpectRefused(const std::vector<Refused>& cases) {
  for (const Refused& refused : cases) {
    SCOPED_TRACE(refused.error);
    XlaBuilder b("b");
    EXPECT_FALSE(refused.build(b).valid());
    const std::string error = b.first_error().ToString();
    const bool has_code = refused.error.find("UNIMPLEMENTED: ") == 0;
    EXPECT_EQ(error, has_code ? refused.error : "INVALID_ARGUMENT: " + refused.error);
  }
}

// ---- Elementwise --------------------------------------------------------------------------------

TEST(XlaElementwiseOpsTest, EachHasItsOpcodeAndItsOperandsInOrder) {
  using Op = std::function<XlaOp(XlaOp, XlaOp)>;
  const std::vector<std::pair<std::string, Op>> ops = {
      {"add", [](XlaOp x, XlaOp y) { return xla::Add(x, y); }},
      {"add", [](XlaOp x, XlaOp y) { return x + y; }},
      {"subtract", [](XlaOp x, XlaOp y) { return xla::Sub(x, y); }},
      {"subtract", [](XlaOp x, XlaOp y) { return x - y; }},
      {"multiply", [](XlaOp x, XlaOp y) { return xla::Mul(x, y); }},
      {"multiply", [](XlaOp x, XlaOp y) { return x * y; }},
      {"divide", [](XlaOp x, XlaOp y) { return xla::Div(x, y); }},
      {"divide", [](XlaOp x, XlaOp y) { return x / y; }},
      {"maximum", [](XlaOp x, XlaOp y) { return xla::Max(x, y); }},
      {"minimum", [](XlaOp x, XlaOp y) { return xla::Min(x, y); }},
  };
  for (const auto& [name, op] : ops) {
    XlaBuilder b("b");
    const XlaOp x = P(b, {2}), y = P(b, {2});
    op(x, y);
    EXPECT_EQ(Instructions(b).back(), name + " f32[2]{0} 1 2");
  }
}

TEST(XlaElementwiseOpsTest, BroadcastDimensionsAreEachFunctionsOwn) {
  using Op = XlaOp (*)(XlaOp, XlaOp, absl::Span<const int64_t>);
  for (const Op op : {&xla::Add, &xla::Sub, &xla::Mul, &xla::Div, &xla::Max, &xla::Min}) {
    XlaBuilder b("b");
    const XlaOp x = P(b, {2, 3}), y = P(b, {2});
    op(x, y, {0});
    EXPECT_EQ(Instructions(b)[2], "broadcast f32[2,3]{1,0} 2 dims={0}");
  }
}

TEST(XlaElementwiseOpsTest, Add) {
  ExpectAdded({
      // The left operand's layout.
      {[](XlaBuilder& b) {
         const XlaOp x = P(b, ColumnMajor(2, 3)), y = P(b, {2, 3});
         return x + y;
       },
       {"add f32[2,3]{0,1} 1 2"}},
      // But the default one, where dimensions are stretched.
      {[](XlaBuilder& b) {
         const XlaOp x = P(b, ColumnMajor(2, 1)), y = P(b, {1, 3});
         return x + y;
       },
       {"reshape f32[2]{0} 1", "broadcast f32[2,3]{1,0} 3 dims={0}", "reshape f32[3]{0} 2",
        "broadcast f32[2,3]{1,0} 5 dims={1}", "add f32[2,3]{1,0} 4 6"}},
      // Placed first, then stretched.
      {[](XlaBuilder& b) {
         const XlaOp x = P(b, {1, 3}), y = P(b, {4, 2, 3});
         return xla::Add(x, y, {1, 2});
       },
       {"broadcast f32[4,1,3]{2,1,0} 1 dims={1,2}", "reshape f32[4,3]{1,0} 3",
        "broadcast f32[4,2,3]{2,1,0} 4 dims={0,2}", "add f32[4,2,3]{2,1,0} 5 2"}},
      {[](XlaBuilder& b) {
         const XlaOp x = P(b, {}), y = P(b, {2});
         return x - y;
       },
       {"broadcast f32[2]{0} 1", "subtract f32[2]{0} 3 2"}},
  });
}

TEST(XlaElementwiseOpsTest, Unary) {
  ExpectAdded({
      {[](XlaBuilder& b) { return -P(b, ColumnMajor(2, 3)); }, {"negate f32[2,3]{0,1} 1"}},
      {[](XlaBuilder& b) { return xla::Neg(P(b, {2})); }, {"negate f32[2]{0} 1"}},
      {[](XlaBuilder& b) {
         return xla::Abs(P(b, ShapeUtil::MakeShapeWithLayout(C64, {2, 3}, {0, 1})));
       },
       {"abs f32[2,3]{0,1} 1"}},
  });
  ExpectRefused({
      {[](XlaBuilder& b) { return -xla::CreateToken(&b); },
       "Expected array argument for operand of unary operation, but got token[]."},
      {[](XlaBuilder& b) { return -P(b, ShapeUtil::MakeShape(PRED, {2})); },
       "Expected element type in shape to be integral, floating or complex for negate operation; "
       "got PRED."},
  });
}

TEST(XlaElementwiseOpsTest, WhatDoesNotGoTogether) {
  const auto add = [](const Shape& left, const Shape& right, std::vector<int64_t> dimensions = {}) {
    return [=](XlaBuilder& b) {
      const XlaOp x = P(b, left), y = P(b, right);
      return xla::Add(x, y, dimensions);
    };
  };
  ExpectRefused({
      // Types come before dimensions, and where both differ the shapes are told.
      {add(F32s({2}), ShapeUtil::MakeShape(S32, {3})),
       "Binary op add with different element types: f32[2] and s32[3]. Convert one of them first."},
      {add(ShapeUtil::MakeTokenShape(), ShapeUtil::MakeTokenShape()),
       "Expected array argument for lhs of binary operation add, but got token[]."},
      {add(F32s({}), ShapeUtil::MakeTupleShape({F32s({2})})),
       "Expected array argument for rhs of binary operation add, but got (f32[2])."},
      {add(F32s({2}), F32s({3})), "Binary op add with incompatible shapes: f32[2] and f32[3]."},
      {add(F32s({2, 3}), F32s({3})), "Shapes must be equal rank, but are f32[2,3] and f32[3]"},
      {add(F32s({2}), F32s({2, 3}), {1}),
       "Broadcast dimension 0 mismatch: 2 != 3; f32[2] and f32[2,3]."},
  });
  ExpectRefused({{[](XlaBuilder& b) {
                    const XlaOp x = P(b, ShapeUtil::MakeShape(PRED, {2}));
                    return x / P(b, ShapeUtil::MakeShape(PRED, {1}));
                  },
                  "Expected element type in shape to be arithmetic type for operation divide; got "
                  "PRED."}});
}

TEST(XlaElementwiseOpsTest, OperandsOfTwoBuilders) {
  XlaBuilder one("one"), other("other");
  const XlaOp x = P(one, {2}), y = P(other, {2});
  EXPECT_FALSE((x + y).valid());
  EXPECT_EQ(one.first_error().message(),
            "XlaOp with handle 1 is built by builder 'other', but is trying to use it in builder "
            "'one'");
  EXPECT_TRUE(other.first_error().ok());
  XlaBuilder none("none");
  xla::Tuple(&none, {XlaOp()});
  EXPECT_EQ(none.first_error().message(), "invalid XlaOp with handle -1: no builder made it");
}

// ---- Shapes -------------------------------------------------------------------------------------

TEST(XlaShapeOpsTest, Broadcast) {
  ExpectAdded({
      {[](XlaBuilder& b) {
         return xla::Broadcast(P(b, {2, 3}), {4, 5});
       },
       {"broadcast f32[4,5,2,3]{3,2,1,0} 1 dims={2,3}"}},
      {[](XlaBuilder& b) { return xla::Broadcast(P(b, {}), {0}); }, {"broadcast f32[0]{0} 1"}},
      {[](XlaBuilder& b) { return xla::Broadcast(P(b, {2}), {}); },
       {"broadcast f32[2]{0} 1 dims={0}"}},
  });
  ExpectRefused({
      {[](XlaBuilder& b) { return xla::Broadcast(xla::CreateToken(&b), {2}); },
       "Expected array argument for operand of broadcast, but got token[]."},
      {[](XlaBuilder& b) {
         return xla::Broadcast(P(b, {2}), {0, -1});
       },
       "Broadcast with negative dimension size -1."},
  });
}

TEST(XlaShapeOpsTest, BroadcastInDim) {
  ExpectAdded({
      {[](XlaBuilder& b) {
         return xla::BroadcastInDim(P(b, {2, 3}), {2, 4, 3}, {0, 2});
       },
       {"broadcast f32[2,4,3]{2,1,0} 1 dims={0,2}"}},
      {[](XlaBuilder& b) {
         return xla::BroadcastInDim(P(b, {1, 3}), {2, 4, 3}, {1, 2});
       },
       {"broadcast f32[2,1,3]{2,1,0} 1 dims={1,2}", "reshape f32[2,3]{1,0} 2",
        "broadcast f32[2,4,3]{2,1,0} 3 dims={0,2}"}},
      {[](XlaBuilder& b) { return xla::BroadcastInDim(P(b, {}), {2}, {}); },
       {"broadcast f32[2]{0} 1"}},
  });
  const auto in_dim = [](const Shape& shape, std::vector<int64_t> sizes,
                         std::vector<int64_t> dimensions) {
    return [=](XlaBuilder& b) { return xla::BroadcastInDim(P(b, shape), sizes, dimensions); };
  };
  ExpectRefused({
      {in_dim(ShapeUtil::MakeTupleShape({}), {2}, {}),
       "expected a type that an array can have, such as F32; got tuple (13)"},
      {in_dim(F32s({2}), {2, 3}, {}),
       "Size of broadcast_dimensions has to match operand's rank; operand rank: 1, size of "
       "broadcast_dimensions 0."},
      {in_dim(F32s({2, 3}), {2}, {0, 1}),
       "InDim style broadcast must be to an equal or higher ranked shape; operand rank: 2; output "
       "rank: 1"},
      {in_dim(F32s({2}), {2, 2}, {2}), "Broadcast dimension 2 is out of bound"},
      {in_dim(F32s({2}), {2, 2}, {-1}), "Broadcast dimension -1 is out of bound"},
      {in_dim(F32s({5, 2}), {5, 3}, {0, 1}),
       "Input dimension should be either 1 or equal to the output dimension it is broadcasting "
       "into; the 1th operand dimension is 2, the 1th output dimension is 3."},
      {in_dim(F32s({2, 2}), {2, 2}, {1, 0}),
       "Broadcast dimensions order is wrong: 0 comes after 1."},
      {in_dim(F32s({2, 2}), {2, 2}, {1, 1}),
       "Broadcast dimensions order is wrong: 1 comes after 1."},
  });
}

TEST(XlaShapeOpsTest, Reshape) {
  ExpectAdded({
      {[](XlaBuilder& b) {
         return xla::Reshape(P(b, {2, 3}), {3, 2});
       },
       {"reshape f32[3,2]{1,0} 1"}},
      {[](XlaBuilder& b) {
         return xla::Reshape(P(b, {2, 3}), {0, 1}, {6});
       },
       {"reshape f32[6]{0} 1"}},
      {[](XlaBuilder& b) { return xla::Reshape(P(b, {}), {}, {1}); }, {"reshape f32[1]{0} 1"}},
      // The layout is the given shape's.
      {[](XlaBuilder& b) {
         return xla::Reshape(ColumnMajor(3, 2), P(b, {2, 3}));
       },
       {"reshape f32[3,2]{0,1} 1"}},
  });
  const auto permuted = [](std::vector<int64_t> dimensions) {
    return [=](XlaBuilder& b) { return xla::Reshape(P(b, {2, 3}), dimensions, {6}); };
  };
  const auto no_permutation = [](const std::string& dimensions) {
    return absl::StrCat("Reshape dimensions [", dimensions,
                        "] are not a permutation of the operand dimensions (operand shape is "
                        "f32[2,3]).");
  };
  const std::string elements =
      "Reshape operation has mismatched element counts: from=6 (f32[2,3]) to=5 (f32[5]).";
  ExpectRefused({
      {permuted({0}), no_permutation("0")},
      {permuted({0, 1, 2}), no_permutation("0,1,2")},
      {permuted({0, 2}), no_permutation("0,2")},
      {permuted({-1, 0}), no_permutation("-1,0")},
      {permuted({1, 1}), no_permutation("1,1")},
      {permuted({0, 0}), no_permutation("0,0")},
      {permuted({1, 0}),
       "UNIMPLEMENTED: Reshape with dimensions [1,0] transposes, by an instruction that callbridge "
       "does not have; expected them in ascending order"},
      {[](XlaBuilder& b) {
         return xla::Reshape(P(b, {2, 3}), {5});
       },
       elements},
      {[](XlaBuilder& b) {
         return xla::Reshape(F32s({5}), P(b, {2, 3}));
       },
       elements},
      {[](XlaBuilder& b) {
         return xla::Reshape(ShapeUtil::MakeShape(S32, {6}), P(b, {2, 3}));
       },
       "Reshape keeps the element type, but leads from f32[2,3] to s32[6]. Convert it first."},
  });
}

TEST(XlaShapeOpsTest, ConvertAndCopyKeepTheLayout) {
  ExpectAdded({
      {[](XlaBuilder& b) { return xla::ConvertElementType(P(b, ColumnMajor(2, 3)), S32); },
       {"convert s32[2,3]{0,1} 1"}},
      {[](XlaBuilder& b) { return xla::Copy(P(b, ColumnMajor(2, 3))); }, {"copy f32[2,3]{0,1} 1"}},
  });
  ExpectRefused({
      {[](XlaBuilder& b) {
         return xla::ConvertElementType(P(b, {2}), static_cast<xla::PrimitiveType>(1000));
       },
       "Convert does not allow non-arrays, so cannot convert from f32[2] to INVALID."},
      {[](XlaBuilder& b) { return xla::ConvertElementType(xla::CreateToken(&b), S32); },
       "Convert does not allow non-arrays, so cannot convert from token[] to S32."},
  });
}

// ---- Constants ----------------------------------------------------------------------------------

TEST(XlaConstantOpsTest, ElementsThatAreAllTheSameBecomeABroadcast) {
  ExpectAdded({
      {[](XlaBuilder& b) { return xla::ConstantR0<float>(&b, 7); }, {"constant f32[]"}},
      {[](XlaBuilder& b) { return xla::ConstantR1<float>(&b, {7}); }, {"constant f32[1]{0}"}},
      {[](XlaBuilder& b) { return xla::ConstantR1<float>(&b, absl::Span<const float>{}); },
       {"constant f32[0]{0}"}},
      {[](XlaBuilder& b) {
         return xla::ConstantR1<float>(&b, {7, 7});
       },
       {"constant f32[]", "broadcast f32[2]{0} 1"}},
      {[](XlaBuilder& b) {
         return xla::ConstantR1<float>(&b, {7, 8});
       },
       {"constant f32[2]{0}"}},
      {[](XlaBuilder& b) {
         return xla::ConstantR1<float>(&b, {7, 7, 8});
       },
       {"constant f32[3]{0}"}},
      {[](XlaBuilder& b) { return xla::ConstantR1<double>(&b, 4, 2.5); },
       {"constant f64[]", "broadcast f64[4]{0} 1"}},
      {[](XlaBuilder& b) {
         return xla::ConstantR2<int32_t>(&b, {{1, 2, 3}, {4, 5, 6}});
       },
       {"constant s32[2,3]{1,0}"}},
      {[](XlaBuilder& b) {
         return xla::ConstantLiteral(&b, xla::LiteralUtil::MakeTupleFromSlices({}));
       },
       {"constant ()"}},
  });
}

TEST(XlaConstantOpsTest, ValuesAreThere) {
  XlaBuilder b("b");
  xla::ConstantR1<float>(&b, {7, 7});
  xla::ConstantR2<int32_t>(&b, {{1, 2}, {3, 4}});
  const XlaComputation built = b.Build().ValueOrDie();
  const auto& instructions = built.proto().computations(0).instructions();
  EXPECT_THAT(instructions[0].literal().f32s(), ElementsAre(7));
  EXPECT_THAT(instructions[2].literal().s32s(), ElementsAre(1, 2, 3, 4));
}

}  // namespace
