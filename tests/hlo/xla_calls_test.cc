// Custom calls, calls, tuples and tokens; the builder's own state, and copies of computations.
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/hlo/literal_util.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/xla_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using xla::F32;
using xla::HloInstructionProto;
using xla::HloModuleProto;
using xla::Shape;
using xla::ShapeUtil;
using xla::XlaBuilder;
using xla::XlaComputation;
using xla::XlaOp;
using xla::internal::XlaBuilderFriend;

Shape F32s(std::initializer_list<int64_t> dimensions) {
  return ShapeUtil::MakeShape(F32, dimensions);
}

Shape WithoutLayout() {
  Shape shape = F32s({2});
  shape.clear_layout();
  return shape;
}

XlaOp P(XlaBuilder& b, int64_t number, const Shape& shape) {
  return xla::Parameter(&b, number, shape, "p");
}

const HloInstructionProto& InstructionOf(XlaOp op) { return *XlaBuilderFriend::GetInstruction(op); }

std::string ErrorOf(const XlaBuilder& b) { return b.first_error().ToString(); }

// f32[2] -> f32[2]
XlaComputation Doubled() {
  XlaBuilder b("doubled");
  const XlaOp x = P(b, 0, F32s({2}));
  x + x;
  return b.Build().ValueOrDie();
}

// ---- Custom calls -------------------------------------------------------------------------------

TEST(XlaCustomCallTest, CarriesWhatItIsGiven) {
  const xla::Literal literal = xla::LiteralUtil::CreateR0<float>(3);
  XlaBuilder b("b");
  const XlaOp x = P(b, 0, F32s({2})), y = P(b, 1, ShapeUtil::MakeTupleShape({F32s({3})}));
  const Shape result = ShapeUtil::MakeTupleShape({F32s({2}), F32s({3})});
  const XlaOp call =
      xla::CustomCall(&b, "t", {y, x}, result, "opaque", true, {{{1}, {0, {0}}}, {{0}, {1, {}}}},
                      &literal, xla::SCHEDULE_EARLIEST, xla::API_VERSION_STATUS_RETURNING);
  ASSERT_TRUE(call.valid()) << ErrorOf(b);
  const HloInstructionProto& proto = InstructionOf(call);
  EXPECT_EQ(proto.opcode(), "custom-call");
  EXPECT_EQ(proto.custom_call_target(), "t");
  EXPECT_THAT(proto.operand_ids(), ElementsAre(2, 1));
  EXPECT_EQ(Shape(proto.shape()), result);
  EXPECT_EQ(proto.backend_config(), "opaque");
  EXPECT_TRUE(proto.custom_call_has_side_effect());
  EXPECT_THAT(proto.literal().f32s(), ElementsAre(3));
  EXPECT_EQ(proto.custom_call_schedule(), xla::SCHEDULE_EARLIEST);
  EXPECT_EQ(proto.custom_call_api_version(), xla::API_VERSION_STATUS_RETURNING);
  EXPECT_FALSE(proto.constrain_layout());
  ASSERT_THAT(proto.output_operand_aliasing(), SizeIs(2));
  EXPECT_THAT(proto.output_operand_aliasing(0).output_shape_index(), ElementsAre(1));
  EXPECT_EQ(proto.output_operand_aliasing(0).operand_index(), 0);
  EXPECT_THAT(proto.output_operand_aliasing(0).operand_shape_index(), ElementsAre(0));
  EXPECT_EQ(proto.output_operand_aliasing(1).operand_index(), 1);
  EXPECT_THAT(proto.output_operand_aliasing(1).operand_shape_index(), IsEmpty());
}

TEST(XlaCustomCallTest, DefaultsOfEachKind) {
  const XlaComputation called = Doubled();
  XlaBuilder b("b");
  const XlaOp x = P(b, 0, F32s({2}));
  const Shape shape = F32s({2});
  const XlaOp plain = xla::CustomCall(&b, "t", {x}, shape);
  const XlaOp with_computation = xla::CustomCallWithComputation(&b, "t", {x}, called, shape);
  const XlaOp with_layout = xla::CustomCallWithLayout(&b, "t", {x}, shape, {shape});
  const XlaOp of_convolution =
      xla::CustomCallWithConvDnums(&b, "t", {x}, shape, {}, "", false, {}, nullptr, {}, {});
  for (const XlaOp op : {plain, with_computation, with_layout, of_convolution}) {
    ASSERT_TRUE(op.valid()) << ErrorOf(b);
    const HloInstructionProto& proto = InstructionOf(op);
    EXPECT_EQ(proto.opcode(), "custom-call");
    EXPECT_EQ(proto.backend_config(), "");
    EXPECT_FALSE(proto.custom_call_has_side_effect());
    EXPECT_THAT(proto.output_operand_aliasing(), IsEmpty());
    EXPECT_FALSE(proto.has_literal());
    EXPECT_EQ(proto.custom_call_schedule(), xla::SCHEDULE_NONE);
    EXPECT_EQ(proto.custom_call_api_version(), xla::API_VERSION_ORIGINAL);
    EXPECT_EQ(proto.constrain_layout(), op.IsIdenticalTo(with_layout));
    EXPECT_THAT(proto.called_computation_ids(), SizeIs(op.IsIdenticalTo(with_computation) ? 1 : 0));
  }
}

TEST(XlaCustomCallTest, EachKindPassesOnAllArguments) {
  const XlaComputation called = Doubled();
  const xla::Literal literal = xla::LiteralUtil::CreateR0<float>(3);
  XlaBuilder b("b");
  const Shape shape = F32s({2});
  const XlaOp x = P(b, 0, shape);
  const std::vector<std::pair<xla::ShapeIndex, std::pair<int64_t, xla::ShapeIndex>>> aliases = {
      {{}, {0, {}}}};
  xla::Window window;
  window.add_dimensions()->set_size(5);
  xla::ConvolutionDimensionNumbers numbers;
  numbers.set_input_batch_dimension(4);
  const XlaOp with_computation =
      xla::CustomCallWithComputation(&b, "t", {x}, called, shape, "o", true, aliases, &literal,
                                     xla::SCHEDULE_LATEST, xla::API_VERSION_TYPED_FFI);
  const XlaOp with_layout =
      xla::CustomCallWithLayout(&b, "t", {x}, shape, {shape}, "o", true, aliases, &literal,
                                xla::SCHEDULE_LATEST, xla::API_VERSION_TYPED_FFI);
  const XlaOp of_convolution = xla::CustomCallWithConvDnums(
      &b, "t", {x}, shape, {shape}, "o", true, aliases, &literal, window, numbers,
      xla::SCHEDULE_LATEST, xla::API_VERSION_TYPED_FFI);
  for (const XlaOp op : {with_computation, with_layout, of_convolution}) {
    ASSERT_TRUE(op.valid()) << ErrorOf(b);
    const HloInstructionProto& proto = InstructionOf(op);
    EXPECT_EQ(proto.custom_call_target(), "t");
    EXPECT_THAT(proto.operand_ids(), ElementsAre(1));
    EXPECT_EQ(proto.backend_config(), "o");
    EXPECT_TRUE(proto.custom_call_has_side_effect());
    EXPECT_THAT(proto.output_operand_aliasing(), SizeIs(1));
    EXPECT_THAT(proto.literal().f32s(), ElementsAre(3));
    EXPECT_EQ(proto.custom_call_schedule(), xla::SCHEDULE_LATEST);
    EXPECT_EQ(proto.custom_call_api_version(), xla::API_VERSION_TYPED_FFI);
  }
  EXPECT_FALSE(InstructionOf(with_computation).constrain_layout());
  for (const XlaOp op : {with_layout, of_convolution}) {
    EXPECT_TRUE(InstructionOf(op).constrain_layout());
    ASSERT_THAT(InstructionOf(op).operand_shapes_with_layout(), SizeIs(1));
    EXPECT_EQ(Shape(InstructionOf(op).operand_shapes_with_layout(0)), shape);
  }
  EXPECT_EQ(InstructionOf(of_convolution).window().dimensions(0).size(), 5);
  EXPECT_EQ(InstructionOf(of_convolution).convolution_dimension_numbers().input_batch_dimension(),
            4);
}

TEST(XlaCustomCallTest, Refused) {
  const auto error = [](const std::string& target, const Shape& result,
                        const std::vector<Shape>& operands) {
    XlaBuilder b("b");
    const XlaOp x = P(b, 0, F32s({2})), y = P(b, 1, F32s({2}));
    xla::CustomCallWithLayout(&b, target, {x, y}, result, operands);
    return ErrorOf(b);
  };
  const Shape good = F32s({2}), bad = WithoutLayout();
  EXPECT_EQ(error("t", good, {good, good}), "OK");
  // A token has no layout to be constrained, and neither has a tuple itself.
  EXPECT_EQ(
      error("t", ShapeUtil::MakeTupleShape({good, ShapeUtil::MakeTokenShape()}), {good, good}),
      "OK");
  EXPECT_EQ(error("a$", good, {good, good}), "OK");
  EXPECT_EQ(error("$t", good, {good, good}),
            "INVALID_ARGUMENT: Invalid custom_call_target \"$t\": Call targets that start with "
            "'$' are reserved for internal use.");
  for (const Shape& shape :
       {bad, ShapeUtil::MakeTupleShape({bad, good}), ShapeUtil::MakeTupleShape({good, bad})}) {
    EXPECT_EQ(error("t", shape, {good, good}),
              "INVALID_ARGUMENT: Result shape must have layout for custom call with constrained "
              "layout.");
  }
  EXPECT_EQ(error("t", good, {good}),
            "INVALID_ARGUMENT: Must specify a shape with layout for each operand for custom call "
            "with constrained layout; given 1 shapes, expected 2");
  EXPECT_EQ(error("t", good, {bad, good}),
            "INVALID_ARGUMENT: No layout specified for operand 0 for custom call with constrained "
            "layout.");
  EXPECT_EQ(error("t", good, {good, bad}),
            "INVALID_ARGUMENT: No layout specified for operand 1 for custom call with constrained "
            "layout.");
}

// ---- Structure ----------------------------------------------------------------------------------

TEST(XlaStructureOpsTest, Parameters) {
  XlaBuilder b("b");
  const XlaOp first = xla::Parameter(&b, 1, F32s({2}), "a.b");
  const XlaOp second =
      xla::Parameter(&b, 0, ShapeUtil::MakeTupleShape({F32s({2}), F32s({3})}), "", {true, false});
  EXPECT_EQ(InstructionOf(first).name(), "a.b.1");
  EXPECT_EQ(InstructionOf(first).parameter_number(), 1);
  EXPECT_FALSE(InstructionOf(first).has_parameter_replication());
  EXPECT_EQ(InstructionOf(second).name(), "parameter.2");
  EXPECT_THAT(InstructionOf(second).parameter_replication().replicated_at_leaf_buffers(),
              ElementsAre(true, false));
  EXPECT_EQ(b.GetProgramShape(first).ValueOrDie().ToString(),
            "(parameter: (f32[2], f32[3]), a.b: f32[2]) -> f32[2]");
  EXPECT_EQ(b.GetProgramShape().ValueOrDie().ToString(),
            "(parameter: (f32[2], f32[3]), a.b: f32[2]) -> (f32[2], f32[3])");
  P(b, 1, F32s({2}));
  EXPECT_EQ(ErrorOf(b), "INVALID_ARGUMENT: parameter 1 already registered");
}

TEST(XlaStructureOpsTest, ParametersAreNumberedWithoutGaps) {
  const auto error = [](std::initializer_list<int64_t> numbers) {
    XlaBuilder b("c");
    for (const int64_t number : numbers) P(b, number, F32s({2}));
    return b.Build().status().ToString();
  };
  EXPECT_EQ(error({1, 0}), "OK");
  EXPECT_EQ(error({0, 2}),
            "INVALID_ARGUMENT: invalid parameter number: 2; computation \"c\" has 2 parameters, "
            "whose numbers should be 0 to 1");
  EXPECT_EQ(error({0, 1, -1}),
            "INVALID_ARGUMENT: invalid parameter number: -1; computation \"c\" has 3 parameters, "
            "whose numbers should be 0 to 2");
}

TEST(XlaStructureOpsTest, Tuples) {
  XlaBuilder b("b");
  const XlaOp x = P(b, 0, F32s({2})), y = P(b, 1, F32s({3}));
  const XlaOp tuple = xla::Tuple(&b, {y, x});
  EXPECT_EQ(InstructionOf(tuple).opcode(), "tuple");
  EXPECT_THAT(InstructionOf(tuple).operand_ids(), ElementsAre(2, 1));
  EXPECT_EQ(b.GetShape(tuple).ValueOrDie().ToString(), "(f32[3], f32[2])");
  const XlaOp last = xla::GetTupleElement(tuple, 1);
  EXPECT_EQ(InstructionOf(last).opcode(), "get-tuple-element");
  EXPECT_EQ(InstructionOf(last).tuple_index(), 1);
  EXPECT_EQ(b.GetShape(last).ValueOrDie().ToString(), "f32[2]");
  EXPECT_EQ(b.GetShape(xla::GetTupleElement(tuple, 0)).ValueOrDie().ToString(), "f32[3]");
}

TEST(XlaStructureOpsTest, TuplesElementsThatAreNotThere) {
  const auto error = [](const Shape& shape, int64_t index) {
    XlaBuilder b("b");
    xla::GetTupleElement(P(b, 0, shape), index);
    return ErrorOf(b);
  };
  const Shape tuple = ShapeUtil::MakeTupleShape({F32s({2})});
  EXPECT_EQ(error(tuple, 0), "OK");
  EXPECT_EQ(error(tuple, 1),
            "INVALID_ARGUMENT: GetTupleElement() index (1) out of range for tuple shape (f32[2])");
  EXPECT_EQ(error(tuple, -1),
            "INVALID_ARGUMENT: GetTupleElement() index (-1) out of range for tuple shape (f32[2])");
  EXPECT_EQ(error(F32s({2}), 0),
            "INVALID_ARGUMENT: Operand to GetTupleElement() is not a tuple; got f32[2]");
}

TEST(XlaStructureOpsTest, Tokens) {
  XlaBuilder b("b");
  const XlaOp one = xla::CreateToken(&b), two = xla::CreateToken(&b);
  const XlaOp all = xla::AfterAll(&b, {two, one});
  EXPECT_EQ(InstructionOf(one).opcode(), "after-all");
  EXPECT_EQ(InstructionOf(all).opcode(), "after-all");
  EXPECT_THAT(InstructionOf(all).operand_ids(), ElementsAre(2, 1));
  EXPECT_TRUE(b.GetShape(all).ValueOrDie().IsToken());
  const XlaOp x = P(b, 0, F32s({2}));
  const XlaOp after = xla::AddDependency(x, all);
  EXPECT_EQ(InstructionOf(after).opcode(), "add-dependency");
  EXPECT_THAT(InstructionOf(after).operand_ids(), ElementsAre(4, 3));
  EXPECT_EQ(b.GetShape(after).ValueOrDie().ToString(), "f32[2]");
}

TEST(XlaStructureOpsTest, WhatIsNoToken) {
  {
    XlaBuilder b("b");
    xla::AfterAll(&b, {});
    EXPECT_EQ(ErrorOf(b), "INVALID_ARGUMENT: AfterAll requires at least one operand");
  }
  {
    XlaBuilder b("b");
    xla::AfterAll(&b, {xla::CreateToken(&b), P(b, 0, F32s({2}))});
    EXPECT_EQ(ErrorOf(b),
              "INVALID_ARGUMENT: All operands to AfterAll must be tokens; operand 1 has shape "
              "f32[2]");
  }
  {
    XlaBuilder b("b");
    xla::AddDependency(xla::CreateToken(&b), P(b, 0, F32s({2})));
    EXPECT_EQ(ErrorOf(b),
              "INVALID_ARGUMENT: Expected a token as what to wait for, but got f32[2].");
  }
}

TEST(XlaStructureOpsTest, ArgumentsOfCalls) {
  const XlaComputation called = Doubled();
  const auto error = [&called](std::initializer_list<Shape> arguments) {
    XlaBuilder b("b");
    std::vector<XlaOp> operands;
    for (const Shape& shape : arguments) {
      operands.push_back(P(b, static_cast<int64_t>(operands.size()), shape));
    }
    const XlaOp call = xla::Call(&b, called, operands);
    if (call.valid()) {
      EXPECT_EQ(b.GetShape(call).ValueOrDie().ToString(), "f32[2]");
    }
    return ErrorOf(b);
  };
  EXPECT_EQ(error({F32s({2})}), "OK");
  EXPECT_EQ(error({WithoutLayout()}), "OK");
  EXPECT_EQ(error({F32s({2}), F32s({3})}),
            "INVALID_ARGUMENT: Call applied function arity must match number of arguments; got: "
            "arity: 1, arguments: 2; computation signature: (p: f32[2]) -> f32[2]; argument "
            "shapes: [f32[2], f32[3]].");
  EXPECT_EQ(error({F32s({3})}),
            "INVALID_ARGUMENT: Call parameter must match argument; got parameter 0 shape: f32[2], "
            "argument shape: f32[3].");
}

// ---- Ops and computations themselves ------------------------------------------------------------

TEST(XlaOpTest, KnowsItsNumberAndItsBuilder) {
  XlaBuilder one("one"), other("other");
  const XlaOp x = P(one, 0, F32s({2})), y = P(one, 1, F32s({2})), z = P(other, 0, F32s({2}));
  EXPECT_TRUE(x.IsIdenticalTo(x));
  EXPECT_FALSE(x.IsIdenticalTo(y));
  EXPECT_FALSE(x.IsIdenticalTo(z));
  EXPECT_TRUE(XlaOp().IsUninitialized());
  EXPECT_FALSE(XlaOp().valid());
  EXPECT_FALSE(x.IsUninitialized());
  std::ostringstream text;
  text << y << " " << XlaOp();
  EXPECT_EQ(text.str(), "2 -1");
}

TEST(XlaComputationTest, IsMoved) {
  XlaComputation built = Doubled();
  XlaComputation assigned;
  assigned = std::move(built);
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  EXPECT_TRUE(built.IsNull());
  EXPECT_FALSE(assigned.IsNull());
  EXPECT_EQ(assigned.name(), "doubled.3");
  EXPECT_EQ(assigned.GetProgramShape().ValueOrDie().ToString(), "(p: f32[2]) -> f32[2]");
}

TEST(XlaComputationTest, WithoutAProgramShape) {
  EXPECT_EQ(XlaComputation().GetProgramShape().status().ToString(),
            "INVALID_ARGUMENT: computation \"\" has no program shape: it is null, as after a "
            "failed build or a move");
  HloModuleProto module;
  module.set_name("m");
  EXPECT_EQ(XlaComputation(module).GetProgramShape().status().ToString(),
            "INVALID_ARGUMENT: computation \"m\" has no program shape: its module has none");
}

}  // namespace
