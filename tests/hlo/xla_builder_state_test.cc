// What an XlaBuilder keeps from one instruction, build or error to the next.
#include <memory>
#include <string>
#include <utility>

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
using xla::OpMetadata;
using xla::Shape;
using xla::ShapeUtil;
using xla::XlaBuilder;
using xla::XlaComputation;
using xla::XlaOp;
using xla::internal::XlaBuilderFriend;

Shape F32s(std::initializer_list<int64_t> dimensions) {
  return ShapeUtil::MakeShape(F32, dimensions);
}

XlaOp P(XlaBuilder& b, int64_t number, const Shape& shape) {
  return xla::Parameter(&b, number, shape, "p");
}

const HloInstructionProto& InstructionOf(XlaOp op) { return *XlaBuilderFriend::GetInstruction(op); }

OpMetadata Metadata(const std::string& name) {
  OpMetadata metadata;
  metadata.set_op_name(name);
  return metadata;
}

xla::FrontendAttributes Attributes(const std::string& value) {
  xla::FrontendAttributes attributes;
  (*attributes.mutable_map())["key"] = value;
  return attributes;
}

xla::OpSharding Sharding(xla::OpSharding::Type type) {
  xla::OpSharding sharding;
  sharding.set_type(type);
  return sharding;
}

// What instructions get now.
std::string OpName(XlaBuilder& b) {
  return InstructionOf(xla::CreateToken(&b)).metadata().op_name();
}
std::string Attribute(XlaBuilder& b) {
  const auto& map = InstructionOf(xla::CreateToken(&b)).frontend_attributes().map();
  return map.count("key") == 0 ? "none" : map.at("key");
}
int ShardingType(XlaBuilder& b) {
  const HloInstructionProto& proto = InstructionOf(xla::CreateToken(&b));
  return proto.has_sharding() ? static_cast<int>(proto.sharding().type()) : -1;
}

// ---- What instructions are given ----------------------------------------------------------------

TEST(XlaBuilderStateTest, Metadata) {
  XlaBuilder b("b");
  EXPECT_EQ(OpName(b), "");
  b.SetOpMetadata(Metadata("set"));
  EXPECT_EQ(OpName(b), "set");
  EXPECT_EQ(OpName(b), "set");
  b.SetOneShotOpMetadata(Metadata("once"));
  EXPECT_EQ(OpName(b), "once");
  EXPECT_EQ(OpName(b), "set");
  EXPECT_EQ(b.SwapOpMetadata(Metadata("swapped")).op_name(), "set");
  EXPECT_EQ(OpName(b), "swapped");
  {
    const xla::XlaScopedOpMetadataAssignment scope(&b, Metadata("scoped"));
    EXPECT_EQ(OpName(b), "scoped");
  }
  EXPECT_EQ(OpName(b), "swapped");
  b.ClearOpMetadata();
  EXPECT_EQ(OpName(b), "");
}

TEST(XlaBuilderStateTest, FrontendAttributes) {
  XlaBuilder b("b");
  EXPECT_EQ(Attribute(b), "none");
  b.SetFrontendAttributes(Attributes("set"));
  EXPECT_EQ(Attribute(b), "set");
  EXPECT_EQ(b.frontend_attributes().map().at("key"), "set");
  EXPECT_EQ(b.SwapFrontendAttributes(Attributes("swapped")).map().at("key"), "set");
  EXPECT_EQ(Attribute(b), "swapped");
  {
    const xla::XlaScopedFrontendAttributesAssignment scope(&b, Attributes("scoped"));
    EXPECT_EQ(Attribute(b), "scoped");
  }
  EXPECT_EQ(Attribute(b), "swapped");
  b.ClearFrontendAttributes();
  EXPECT_EQ(Attribute(b), "none");
}

TEST(XlaBuilderStateTest, AFrontendAttributeOfOneInstruction) {
  XlaBuilder b("b");
  const XlaOp x = P(b, 0, F32s({2})), y = P(b, 1, F32s({2}));
  EXPECT_TRUE(b.SetInstructionFrontendAttribute(y, "a", "1").ok());
  EXPECT_TRUE(b.SetInstructionFrontendAttribute(y, "c", "2").ok());
  EXPECT_TRUE(b.SetInstructionFrontendAttribute(y, "a", "3").ok());
  EXPECT_THAT(InstructionOf(x).frontend_attributes().map(), IsEmpty());
  const auto& map = InstructionOf(y).frontend_attributes().map();
  EXPECT_THAT(map, SizeIs(2));
  EXPECT_EQ(map.at("a"), "3");
  EXPECT_EQ(map.at("c"), "2");
  XlaBuilder other("other");
  EXPECT_FALSE(other.SetInstructionFrontendAttribute(y, "a", "4").ok());
}

TEST(XlaBuilderStateTest, Sharding) {
  XlaBuilder b("b");
  EXPECT_EQ(ShardingType(b), -1);
  EXPECT_FALSE(b.sharding().has_value());
  b.SetSharding(Sharding(xla::OpSharding::MAXIMAL));
  EXPECT_EQ(ShardingType(b), xla::OpSharding::MAXIMAL);
  {
    const xla::XlaScopedShardingAssignment scope(&b, Sharding(xla::OpSharding::MANUAL));
    EXPECT_EQ(ShardingType(b), xla::OpSharding::MANUAL);
    {
      const xla::XlaScopedShardingAssignment none(&b, std::nullopt);
      EXPECT_EQ(ShardingType(b), -1);
    }
    EXPECT_EQ(ShardingType(b), xla::OpSharding::MANUAL);
  }
  EXPECT_EQ(ShardingType(b), xla::OpSharding::MAXIMAL);
  b.ClearSharding();
  EXPECT_EQ(ShardingType(b), -1);
}

TEST(XlaBuilderStateTest, DefaultDimensionsOfConvolutions) {
  for (const int spatial : {0, 2, 3}) {
    const auto numbers = spatial == 2 ? XlaBuilder::CreateDefaultConvDimensionNumbers()
                                      : XlaBuilder::CreateDefaultConvDimensionNumbers(spatial);
    EXPECT_EQ(numbers.input_batch_dimension(), 0);
    EXPECT_TRUE(numbers.output_batch_dimension() == 0 &&
                numbers.kernel_output_feature_dimension() == 0);
    EXPECT_EQ(numbers.input_feature_dimension(), 1);
    EXPECT_EQ(numbers.output_feature_dimension(), 1);
    EXPECT_EQ(numbers.kernel_input_feature_dimension(), 1);
    for (const auto* dimensions :
         {&numbers.input_spatial_dimensions(), &numbers.output_spatial_dimensions(),
          &numbers.kernel_spatial_dimensions()}) {
      ASSERT_EQ(dimensions->size(), spatial);
      for (int i = 0; i < spatial; ++i) EXPECT_EQ((*dimensions)[i], i + 2);
    }
  }
}

// ---- Building -----------------------------------------------------------------------------------

TEST(XlaBuilderStateTest, TheModule) {
  XlaBuilder b("b");
  const XlaOp x = P(b, 0, F32s({2}));
  xla::Tuple(&b, {x});
  const HloModuleProto module = b.Build(x).ValueOrDie().proto();
  EXPECT_EQ(module.name(), "b.3");
  EXPECT_EQ(module.id(), 3);
  EXPECT_EQ(module.entry_computation_name(), "b.3");
  EXPECT_EQ(module.entry_computation_id(), 3);
  EXPECT_EQ(xla::ProgramShape(module.host_program_shape()).ToString(), "(p: f32[2]) -> f32[2]");
  ASSERT_EQ(module.computations_size(), 1);
  EXPECT_EQ(module.computations(0).id(), 3);
  EXPECT_EQ(module.computations(0).name(), "b.3");
  EXPECT_EQ(module.computations(0).root_id(), 1);
  EXPECT_EQ(xla::ProgramShape(module.computations(0).program_shape()).ToString(),
            "(p: f32[2]) -> f32[2]");
  EXPECT_FALSE(module.has_input_output_alias());
}

TEST(XlaBuilderStateTest, ABuildLeavesTheBuilderEmptyAndGoesOnCounting) {
  XlaBuilder inner("inner");
  P(inner, 0, F32s({2}));
  const XlaComputation called = inner.Build().ValueOrDie();
  XlaBuilder b("b");
  const XlaOp x = P(b, 0, F32s({2}));
  xla::Call(&b, called, {x});
  EXPECT_EQ(b.Build().ValueOrDie().proto().computations_size(), 2);
  EXPECT_EQ(b.GetShape(x).status().ToString(),
            "INVALID_ARGUMENT: No XlaOp with handle 1: Build() took it, or it was an error");
  EXPECT_EQ(XlaBuilderFriend::GetInstruction(x), nullptr);
  const XlaOp again = P(b, 0, F32s({3}));
  ASSERT_TRUE(again.valid()) << b.first_error();
  const HloModuleProto second = b.Build().ValueOrDie().proto();
  ASSERT_EQ(second.computations_size(), 1);
  // 1 to 5: the parameter, the copy and its parameter, the call and the first entry.
  EXPECT_EQ(second.computations(0).instructions(0).id(), 6);
  EXPECT_EQ(second.entry_computation_id(), 7);
}

TEST(XlaBuilderStateTest, ARootOfElsewhere) {
  XlaBuilder b("b"), other("other");
  P(b, 0, F32s({2}));
  for (const XlaOp root : {P(other, 0, F32s({2})), XlaOp()}) {
    EXPECT_EQ(b.Build(root).status().ToString(),
              "INVALID_ARGUMENT: Given root operation is not in this computation.");
  }
}

TEST(XlaBuilderStateTest, AliasesOfParameters) {
  using Config = xla::HloInputOutputAliasConfig;
  XlaBuilder b("b");
  const XlaOp x = P(b, 0, F32s({2}));
  const XlaOp y = P(b, 1, ShapeUtil::MakeTupleShape({F32s({2}), F32s({3})}));
  xla::Tuple(&b, {xla::GetTupleElement(y, 1), x});
  b.SetUpAlias({0}, 1, {1}, Config::kMustAlias);
  b.SetUpAlias({1}, 0, {});
  const HloModuleProto module = b.Build().ValueOrDie().proto();
  ASSERT_EQ(module.input_output_alias().entries_size(), 2);
  const auto& first = module.input_output_alias().entries(0);
  EXPECT_THAT(first.output_shape_index(), ElementsAre(0));
  EXPECT_EQ(first.parameter_number(), 1);
  EXPECT_THAT(first.parameter_shape_index(), ElementsAre(1));
  EXPECT_EQ(first.kind(), xla::MUST_ALIAS);
  const auto& second = module.input_output_alias().entries(1);
  EXPECT_THAT(second.output_shape_index(), ElementsAre(1));
  EXPECT_EQ(second.parameter_number(), 0);
  EXPECT_THAT(second.parameter_shape_index(), IsEmpty());
  EXPECT_EQ(second.kind(), xla::MAY_ALIAS);
}

// ---- Errors -------------------------------------------------------------------------------------

TEST(XlaBuilderStateTest, TheFirstReportedErrorStays) {
  XlaBuilder b("b");
  EXPECT_FALSE(b.ReportError(absl::InternalError("one")).valid());
  EXPECT_FALSE(b.ReportErrorOrReturn(absl::InternalError("two")).valid());
  EXPECT_EQ(b.GetCurrentStatus().ToString(), "INTERNAL: one");
  EXPECT_EQ(b.Build().status().ToString(), "INTERNAL: one");
  XlaBuilder fine("fine");
  const XlaOp x = P(fine, 0, F32s({2}));
  EXPECT_TRUE(fine.ReportErrorOrReturn(x).IsIdenticalTo(x));
}

TEST(XlaBuilderStateTest, AParentHearsOfASubBuildersError) {
  XlaBuilder parent("parent");
  const std::unique_ptr<XlaBuilder> sub = parent.CreateSubBuilder("sub");
  EXPECT_EQ(sub->name(), "sub");
  P(*sub, 0, F32s({2}));
  sub->ReportError(absl::UnimplementedError("no"));
  EXPECT_TRUE(sub->BuildAndNoteError().IsNull());
  EXPECT_EQ(parent.first_error().ToString(), "UNIMPLEMENTED: error from: sub: no");
  XlaBuilder empty("empty");
  const std::unique_ptr<XlaBuilder> of_empty = empty.CreateSubBuilder("nothing");
  EXPECT_TRUE(of_empty->BuildAndNoteError().IsNull());
  EXPECT_TRUE(of_empty->first_error().ok());
  P(*of_empty, 0, F32s({2}));
  EXPECT_FALSE(of_empty->BuildAndNoteError().IsNull());
}

TEST(XlaBuilderStateDeathTest, ErrorsThatEndTheProcess) {
  EXPECT_DEATH(XlaBuilder("b").ReportError(absl::OkStatus()),
               "XlaBuilder::ReportError\\(\\) was given a status that is OK");
  XlaBuilder b("b");
  b.set_die_immediately_on_error(true);
  EXPECT_DEATH(b.ReportError(absl::InternalError("bad")),
               "error building computation \"b\": INTERNAL: bad");
  const std::unique_ptr<XlaBuilder> sub = b.CreateSubBuilder("sub");
  EXPECT_DEATH(sub->ReportError(absl::InternalError("bad")), "computation \"sub\": INTERNAL: bad");
  b.set_die_immediately_on_error(false);
  EXPECT_FALSE(b.ReportError(absl::InternalError("bad")).valid());
}

// ---- Copies of computations ---------------------------------------------------------------------

HloModuleProto TwoComputations() {
  HloModuleProto module;
  module.set_entry_computation_id(40);
  xla::HloComputationProto* const callee = module.add_computations();
  callee->set_id(10);
  callee->set_name("callee.10");
  callee->set_root_id(12);
  for (const int64_t id : {11, 12}) {
    xla::HloInstructionProto* const instruction = callee->add_instructions();
    instruction->set_id(id);
    instruction->set_name(id == 11 ? "plain" : "a.b.12");
  }
  callee->mutable_instructions(1)->add_operand_ids(11);
  callee->mutable_instructions(1)->add_control_predecessor_ids(11);
  xla::HloComputationProto* const entry = module.add_computations();
  entry->set_id(40);
  entry->set_name("entry.40");
  entry->set_root_id(41);
  xla::HloInstructionProto* const call = entry->add_instructions();
  call->set_id(41);
  call->set_name("call.41");
  call->add_called_computation_ids(10);
  // Of a shape, so that the module is well-formed.
  for (xla::HloComputationProto& computation : *module.mutable_computations()) {
    for (xla::HloInstructionProto& instruction : *computation.mutable_instructions()) {
      instruction.mutable_shape()->set_element_type(xla::TUPLE);
    }
  }
  return module;
}

TEST(CalledComputationTest, IsNumberedInTheOrderInWhichItStands) {
  XlaBuilder b("b");
  for (int i = 0; i < 100; ++i) xla::CreateToken(&b);
  HloInstructionProto caller;
  const absl::Status added =
      XlaBuilderFriend::AddCalled(&b, XlaComputation(TwoComputations()), &caller);
  ASSERT_TRUE(added.ok()) << added;
  EXPECT_THAT(caller.called_computation_ids(), ElementsAre(104));
  EXPECT_EQ(InstructionOf(xla::CreateToken(&b)).id(), 106);
  const XlaComputation built = b.Build().ValueOrDie();
  ASSERT_EQ(built.proto().computations_size(), 3);  // the builder's own is the last
  const auto& callee = built.proto().computations(0);
  EXPECT_EQ(callee.id(), 101);
  EXPECT_EQ(callee.name(), "callee.101");
  EXPECT_EQ(callee.root_id(), 103);
  EXPECT_EQ(callee.instructions(0).id(), 102);
  EXPECT_EQ(callee.instructions(0).name(), "plain.102");
  EXPECT_EQ(callee.instructions(1).name(), "a.b.103");
  EXPECT_THAT(callee.instructions(1).operand_ids(), ElementsAre(102));
  EXPECT_THAT(callee.instructions(1).control_predecessor_ids(), ElementsAre(102));
  const auto& entry = built.proto().computations(1);
  EXPECT_EQ(entry.id(), 104);
  EXPECT_EQ(entry.name(), "entry.104");
  EXPECT_EQ(entry.root_id(), 105);
  EXPECT_THAT(entry.instructions(0).called_computation_ids(), ElementsAre(101));
}

TEST(CalledComputationTest, IdsThatNothingHas) {
  const auto expect_error = [](const HloModuleProto& module) {
    XlaBuilder b("b");
    HloInstructionProto caller;
    EXPECT_EQ(XlaBuilderFriend::AddCalled(&b, XlaComputation(module), &caller).ToString(),
              "INVALID_ARGUMENT: a computation that is to be called refers to the id 77, which "
              "nothing in its module has");
  };
  HloModuleProto module = TwoComputations();
  module.set_entry_computation_id(77);
  expect_error(module);
  module = TwoComputations();
  module.mutable_computations(1)->set_root_id(77);
  expect_error(module);
  module = TwoComputations();
  module.mutable_computations(0)->mutable_instructions(1)->set_control_predecessor_ids(0, 77);
  expect_error(module);
  module = TwoComputations();
  module.mutable_computations(1)->mutable_instructions(0)->set_called_computation_ids(0, 77);
  expect_error(module);
  module = TwoComputations();
  module.mutable_computations(0)->mutable_instructions(1)->add_operand_ids(77);
  expect_error(module);
}

}  // namespace
