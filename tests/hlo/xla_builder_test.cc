// What genuine/test_builder.py does not: that compares modules and errors with the genuine builder.
#include "callbridge/hlo/xla_builder.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "callbridge/hlo/module_check.h"
#include "callbridge/hlo/shape_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using xla::F32;
using xla::Shape;
using xla::ShapeUtil;
using xla::XlaBuilder;
using xla::XlaComputation;
using xla::XlaOp;

Shape F32s(std::initializer_list<int64_t> dimensions) {
  return ShapeUtil::MakeShape(F32, dimensions);
}

XlaOp P(XlaBuilder& b, int64_t number, const Shape& shape) {
  return xla::Parameter(&b, number, shape, "p");
}

std::string ErrorOf(XlaBuilder& b) { return b.Build().status().ToString(); }

// The entry computation's instructions, as "opcode shape operands".
std::vector<std::string> Instructions(const XlaComputation& computation) {
  std::vector<std::string> lines;
  const auto& computations = computation.proto().computations();
  for (const auto& instruction : computations[computations.size() - 1].instructions()) {
    std::string line = instruction.opcode() + " " + Shape(instruction.shape()).ToString();
    for (const int64_t id : instruction.operand_ids()) line += " " + std::to_string(id);
    lines.push_back(line);
  }
  return lines;
}

// ---- The example of the documents ---------------------------------------------------------------

// How PyTorch's add and mul were lowered: an operand of fewer dimensions is expanded to the other's
// sizes first, by a reshape to ones and a broadcast of those.
std::vector<int64_t> SizesOf(XlaOp op) {
  const Shape shape = op.builder()->GetShape(op).ValueOrDie();
  return {shape.dimensions().begin(), shape.dimensions().end()};
}

XlaOp ExpandTo(XlaOp input, const std::vector<int64_t>& to) {
  const std::vector<int64_t> from = SizesOf(input);
  if (from.size() >= to.size() || from.empty()) return input;
  std::vector<int64_t> reshaped(to.size(), 1);
  std::copy_backward(from.begin(), from.end(), reshaped.end());
  const XlaOp ones = xla::Reshape(input, reshaped);
  std::vector<int64_t> all(to.size());
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  return xla::BroadcastInDim(ones, to, all);
}

TEST(XlaBuilderTest, LowersAddAndMulAsPyTorchDid) {
  XlaBuilder b("mul_add");
  const XlaOp x = P(b, 0, F32s({3, 5})), y = P(b, 1, F32s({5}));
  const XlaOp product = ExpandTo(x, SizesOf(y)) * ExpandTo(y, SizesOf(x));
  const XlaOp two = xla::ConstantR0<float>(&b, 2);
  const XlaOp sum = ExpandTo(product, SizesOf(two)) + ExpandTo(two, SizesOf(product));
  EXPECT_EQ(SizesOf(sum), SizesOf(x));
  EXPECT_THAT(Instructions(b.Build().ValueOrDie()),
              ElementsAre("parameter f32[3,5]", "parameter f32[5]", "reshape f32[1,5] 2",
                          "broadcast f32[1,5] 3", "reshape f32[5] 4", "broadcast f32[3,5] 5",
                          "multiply f32[3,5] 1 6", "constant f32[]", "broadcast f32[3,5] 8",
                          "add f32[3,5] 7 9"));
}

// ---- The documentation's slips ------------------------------------------------------------------

TEST(XlaBuilderTest, AParameterWithoutABuilderGoesToTheYoungestOfItsThread) {
  XlaBuilder outer("outer");
  {
    XlaBuilder inner("inner");
    EXPECT_EQ(xla::Parameter(0, ShapeUtil::CreateShape(F32, {2}), "p").builder(), &inner);
  }
  std::unique_ptr<XlaBuilder> younger;
  std::thread([&younger] {
    younger = std::make_unique<XlaBuilder>("of another thread");
    EXPECT_EQ(xla::Parameter(0, F32s({2}), "p").builder(), younger.get());
  }).join();
  const XlaOp p = xla::Parameter(0, F32s({2}), "p0");
  EXPECT_EQ(p.builder(), &outer);
  EXPECT_TRUE(p.valid());
}

TEST(XlaBuilderDeathTest, AParameterWithoutAnyBuilder) {
  EXPECT_DEATH(xla::Parameter(0, F32s({2}), "p"), "this thread has none");
}

// ---- Misuse -------------------------------------------------------------------------------------

TEST(XlaBuilderTest, NothingToBuild) {
  XlaBuilder b("empty");
  EXPECT_THAT(ErrorOf(b), HasSubstr("\"empty\" has no instructions"));
  EXPECT_THAT(b.GetProgramShape().status().ToString(), HasSubstr("has no instructions"));
  P(b, 0, F32s({2}));
  EXPECT_TRUE(b.Build().ok());
  EXPECT_THAT(ErrorOf(b), HasSubstr("has no instructions"));
}

TEST(XlaBuilderTest, TheFirstErrorIsKept) {
  XlaBuilder b("b");
  const XlaOp x = P(b, 0, F32s({2}));
  xla::GetTupleElement(x, 0);
  const XlaOp later = xla::CustomCall(&b, "$later", {}, F32s({2}));
  EXPECT_FALSE(later.valid());
  EXPECT_FALSE(xla::CreateToken(&b).valid());
  EXPECT_FALSE(xla::ConstantR0<float>(&b, 1).valid());
  EXPECT_FALSE(P(b, 1, F32s({2})).valid());
  EXPECT_THAT(ErrorOf(b), HasSubstr("is not a tuple; got f32[2]"));
  EXPECT_THAT(b.Build(x).status().ToString(), HasSubstr("is not a tuple"));
  EXPECT_THAT(b.SetInstructionFrontendAttribute(x, "a", "b").ToString(), HasSubstr("not a tuple"));
}

TEST(XlaBuilderTest, OpsOfBuildersThatAreGone) {
  auto gone = std::make_unique<XlaBuilder>("gone");
  const XlaOp x = P(*gone, 0, F32s({2}));
  gone.reset();
  XlaBuilder b("b");
  EXPECT_THAT(b.GetShape(x).status().ToString(), HasSubstr("a builder that was destroyed"));
  EXPECT_DEATH(x + x, "builder that was destroyed");
  xla::Tuple(&b, {x});
  EXPECT_THAT(ErrorOf(b), HasSubstr("is built by a builder that was destroyed"));
}

TEST(XlaBuilderDeathTest, NullBuilders) {
  EXPECT_DEATH(XlaOp().builder(), "no builder made");
  EXPECT_DEATH(-XlaOp(), "no builder made");
  EXPECT_DEATH(xla::CustomCall(nullptr, "f", {}, F32s({2})), "builder that is null");
}

TEST(XlaBuilderTest, ASubBuildersErrorIsItsOwnWhenTheParentIsGone) {
  auto parent = std::make_unique<XlaBuilder>("parent");
  const std::unique_ptr<XlaBuilder> sub = parent->CreateSubBuilder("sub");
  parent.reset();
  EXPECT_TRUE(sub->BuildAndNoteError().IsNull());
  EXPECT_THAT(sub->first_error().ToString(), HasSubstr("error from: sub"));
}

TEST(XlaBuilderTest, SizesThatDoNotFit) {
  {
    XlaBuilder b("b");
    xla::Broadcast(P(b, 0, F32s({2})), {int64_t{1} << 62});
    EXPECT_THAT(ErrorOf(b), HasSubstr("INVALID_ARGUMENT"));
  }
  {
    XlaBuilder b("b");
    P(b, 0, F32s({int64_t{1} << 40, 1})) + P(b, 1, F32s({1, int64_t{1} << 40}));
    EXPECT_THAT(ErrorOf(b), HasSubstr("INVALID_ARGUMENT"));
  }
  {
    XlaBuilder b("b");
    Shape shape = F32s({2});
    shape.set_dimensions(0, -2);
    P(b, 0, shape);
    EXPECT_THAT(ErrorOf(b), AllOf(HasSubstr("INVALID_ARGUMENT"), HasSubstr("-2")));
  }
}

TEST(XlaBuilderTest, AliasesOfCustomCallsAreChecked) {
  using xla::ShapeIndex;
  const auto error = [](ShapeIndex output, int64_t operand, ShapeIndex index) {
    XlaBuilder b("b");
    const XlaOp x = P(b, 0, F32s({2}));
    xla::CustomCall(&b, "f", {x}, ShapeUtil::MakeTupleShape({F32s({2}), F32s({3})}), "", false,
                    {{output, {operand, index}}});
    return ErrorOf(b);
  };
  EXPECT_EQ(error({0}, 0, {}), "OK");
  EXPECT_THAT(error({1}, 0, {}), HasSubstr("expected the shape of operand 0's leaf"));
  EXPECT_THAT(error({2}, 0, {}), HasSubstr("alias of output {2}"));
  EXPECT_THAT(error({}, 0, {}), HasSubstr("alias of output {}"));
  EXPECT_THAT(error({0}, 1, {}), HasSubstr("there are 1 operands"));
  EXPECT_THAT(error({0}, -1, {}), HasSubstr("operand -1"));
  EXPECT_THAT(error({0}, 0, {0}), HasSubstr("operand 0 {0}"));
}

// ---- Computations that are called ---------------------------------------------------------------

xla::HloModuleProto Called() {
  XlaBuilder b("called");
  const XlaOp x = P(b, 0, F32s({2}));
  xla::CustomCall(&b, "f", {x + x}, F32s({2}));
  return b.Build().ValueOrDie().proto();
}

TEST(XlaBuilderTest, CallsAreNumberedAnewEveryTime) {
  const XlaComputation called(Called());
  XlaBuilder b("b");
  XlaOp x = P(b, 0, F32s({2}));
  for (int i = 0; i < 3; ++i) x = xla::Call(&b, called, {x});
  const XlaComputation built = b.Build().ValueOrDie();
  EXPECT_EQ(built.proto().computations_size(), 4);
  EXPECT_EQ(callbridge::hlo::CheckModule(built.proto()).ToString(), "OK");
  // And again, now with the calls in what is called.
  XlaBuilder outer("outer");
  xla::Call(&outer, built, {P(outer, 0, F32s({2}))});
  EXPECT_EQ(outer.Build().ValueOrDie().proto().computations_size(), 5);
}

TEST(XlaBuilderTest, ControlPredecessorsAreNumberedAnewToo) {
  xla::HloModuleProto module = Called();
  auto& instructions = *module.mutable_computations(0)->mutable_instructions();
  ASSERT_EQ(instructions.size(), 3);
  instructions[2].add_control_predecessor_ids(instructions[1].id());
  XlaBuilder b("b");
  for (int i = 0; i < 2; ++i) xla::Call(&b, XlaComputation(module), {P(b, i, F32s({2}))});
  const xla::HloModuleProto built = b.Build().ValueOrDie().proto();
  ASSERT_EQ(built.computations_size(), 3);
  for (int i = 0; i < 2; ++i) {
    const auto& copied = built.computations(i).instructions();
    EXPECT_THAT(copied[2].control_predecessor_ids(), ElementsAre(copied[1].id())) << i;
  }
}

TEST(XlaBuilderTest, CallingWhatIsNoComputation) {
  const auto error = [](xla::HloModuleProto module) {
    XlaBuilder b("b");
    xla::Call(&b, XlaComputation(std::move(module)), {P(b, 0, F32s({2}))});
    return ErrorOf(b);
  };
  EXPECT_EQ(error(Called()), "OK");
  EXPECT_THAT(error({}), HasSubstr("has no program shape"));
  xla::HloModuleProto module = Called();
  module.set_entry_computation_id(1000);
  EXPECT_THAT(error(module), HasSubstr("refers to the id 1000"));
  module = Called();
  module.mutable_computations(0)->set_root_id(1000);
  EXPECT_THAT(error(module), HasSubstr("refers to the id 1000"));
  module = Called();
  module.mutable_computations(0)->mutable_instructions(1)->set_operand_ids(0, 1000);
  EXPECT_THAT(error(module), HasSubstr("refers to the id 1000"));
  module = Called();
  module.mutable_computations(0)->mutable_instructions(1)->set_operand_ids(
      0, module.computations(0).instructions(2).id());
  EXPECT_THAT(error(module), HasSubstr("an instruction before this one"));
  XlaBuilder b("b");
  xla::CustomCallWithComputation(&b, "f", {}, XlaComputation(), F32s({2}));
  EXPECT_THAT(ErrorOf(b), HasSubstr("INVALID_ARGUMENT"));
}

TEST(XlaComputationTest, NullAndMoved) {
  XlaComputation null;
  EXPECT_TRUE(null.IsNull());
  EXPECT_THAT(null.GetProgramShape().status().ToString(), HasSubstr("it is null"));
  XlaBuilder b("b");
  P(b, 0, F32s({2}));
  XlaComputation built = b.Build().ValueOrDie();
  EXPECT_FALSE(built.IsNull());
  const XlaComputation moved = std::move(built);
  // What was moved from may be asked whether it is null.
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move)
  EXPECT_TRUE(built.IsNull());
  EXPECT_EQ(moved.name(), "b.2");
}

// ---- Bits ---------------------------------------------------------------------------------------

TEST(XlaBuilderTest, ConstantsOfOneValueKeepTheirBits) {
  XlaBuilder b("b");
  xla::ConstantR1<float>(&b, {0.0f, -0.0f});
  const XlaComputation built = b.Build().ValueOrDie();
  EXPECT_THAT(Instructions(built), ElementsAre("constant f32[2]"));
}

TEST(XlaBuilderTest, OpaqueIsBytes) {
  XlaBuilder b("b");
  const std::string opaque("\0\xff\n\"", 4);
  xla::CustomCall(&b, "f", {}, F32s({2}), opaque);
  const XlaComputation built = b.Build().ValueOrDie();
  xla::HloModuleProto read;
  ASSERT_TRUE(read.ParseFromString(built.proto().SerializeAsString()));
  EXPECT_EQ(read.computations(0).instructions(0).backend_config(), opaque);
}

}  // namespace
