// xla::Client, where genuine programs (tests/genuine/client_programs.cc) do not go: what it refuses
// and how it says so, layouts, and the small methods.
#include "callbridge/client/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/client/client_library.h"
#include "callbridge/client/local_client.h"
#include "callbridge/hlo/layout.h"
#include "callbridge/hlo/literal_util.h"
#include "callbridge/hlo/shape_util.h"
#include "callbridge/hlo/xla_builder.h"
#include "callbridge/hlo/xla_computation.h"
#include "tests/refused.h"

namespace xla {
namespace {

using callbridge::Refused;
using testing::HasSubstr;

LocalClient& TheClient() { return *ClientLibrary::LocalClientOrDie(); }

Shape F32s(std::vector<int64_t> dimensions, std::vector<int64_t> minor_to_major) {
  return ShapeUtil::MakeShapeWithDenseLayout(F32, dimensions, minor_to_major);
}

std::unique_ptr<GlobalData> Sent(const Literal& literal) {
  return TheClient().TransferToServer(literal).value();
}

// f32[2,3], s32[] -> (the first one, the second one).
XlaComputation Both() {
  XlaBuilder builder("both");
  const XlaOp x = Parameter(&builder, 0, ShapeUtil::MakeShape(F32, {2, 3}), "x");
  const XlaOp y = Parameter(&builder, 1, ShapeUtil::MakeShape(S32, {}), "y");
  Tuple(&builder, {x, y});
  return builder.Build().value();
}

XlaComputation Same() {
  XlaBuilder builder("same");
  Parameter(&builder, 0, ShapeUtil::MakeShape(F32, {2, 3}), "x");
  return builder.Build().value();
}

const Literal& Table() {
  static auto& table = *new Literal(LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}}));
  return table;
}

std::vector<float> ElementsInMemory(const Literal& literal) {
  const auto* elements = static_cast<const float*>(literal.untyped_data());
  return {elements, elements + literal.size_bytes() / sizeof(float)};
}

TEST(ClientTest, ArgumentsThatAreNotTheParametersAreRefusedByNumberAndShape) {
  const XlaComputation both = Both();
  const std::unique_ptr<GlobalData> table = Sent(Table());
  const std::unique_ptr<GlobalData> one = Sent(LiteralUtil::CreateR0<int32_t>(1));
  const std::unique_ptr<GlobalData> row = Sent(LiteralUtil::CreateR1<float>({1}));
  const struct {
    std::vector<GlobalData*> arguments;
    std::string message;
  } kCases[] = {
      {{table.get()}, "the computation has 2 parameters, but there are 1 arguments"},
      {{table.get(), one.get(), one.get()},
       "the computation has 2 parameters, but there are 3 arguments"},
      {{row.get(), one.get()}, "parameter 0 is f32[2,3], but the argument is f32[1]"},
      {{table.get(), row.get()}, "parameter 1 is s32[], but the argument is f32[1]"},
      {{table.get(), nullptr}, "an argument is null"},
  };
  const ExecutionHandle handle =
      TheClient().Compile(both, {F32s({2, 3}, {1, 0}), ShapeUtil::MakeShape(S32, {})}).value();
  for (const auto& each : kCases) {
    EXPECT_EQ(Refused(TheClient().Execute(both, each.arguments).status()), each.message);
    EXPECT_EQ(Refused(TheClient().Execute(handle, each.arguments).status()), each.message);
    EXPECT_EQ(Refused(TheClient().ExecuteAndTransfer(both, each.arguments).status()), each.message);
  }
  EXPECT_EQ(Refused(TheClient().Compile(both, {F32s({2, 3}, {1, 0})}).status()), kCases[0].message);
  EXPECT_EQ(Refused(TheClient().Execute(ExecutionHandle(), {}).status()),
            "expected a handle that Compile() returned, but this one has no computation");
}

TEST(ClientTest, ArgumentsMayBeInAnyLayout) {
  const Literal columns = Table().Relayout(LayoutUtil::MakeLayout({0, 1}));
  ASSERT_EQ(ElementsInMemory(columns), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  const std::unique_ptr<GlobalData> argument = Sent(columns);
  const Literal result = TheClient().ExecuteAndTransfer(Same(), {argument.get()}).value();
  EXPECT_EQ(ElementsInMemory(result), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(ClientTest, OptionsSayTheResultsLayout) {
  const XlaComputation same = Same();
  const std::unique_ptr<GlobalData> argument = Sent(Table());
  ExecutionOptions options;
  EXPECT_FALSE(options.has_shape_with_output_layout());
  *options.mutable_shape_with_output_layout() = F32s({2, 3}, {0, 1}).ToProto();
  EXPECT_TRUE(options.has_shape_with_output_layout());
  const Literal columns = TheClient().ExecuteAndTransfer(same, {argument.get()}, &options).value();
  EXPECT_EQ(ElementsInMemory(columns), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(columns, Table());
  *options.mutable_shape_with_output_layout() = F32s({3, 2}, {0, 1}).ToProto();
  EXPECT_EQ(Refused(TheClient().Execute(same, {argument.get()}, &options).status()),
            "the computation's result is f32[2,3], but shape_with_output_layout is f32[3,2]");
}

TEST(ClientTest, TransfersInTheLayoutThatIsAskedFor) {
  const std::unique_ptr<GlobalData> data = Sent(Table());
  EXPECT_EQ(ElementsInMemory(TheClient().Transfer(*data).value()),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
  const Shape columns = F32s({2, 3}, {0, 1});
  EXPECT_EQ(ElementsInMemory(TheClient().Transfer(*data, &columns).value()),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
  const Shape other = F32s({6}, {0});
  EXPECT_EQ(Refused(TheClient().Transfer(*data, &other).status()),
            "the value is f32[2,3], but shape_with_layout is f32[6]");
}

// The client's data is a copy, which outlives and does not follow what it was made of.
TEST(ClientTest, WhatIsSentIsCopied) {
  Literal literal = LiteralUtil::CreateR0<int32_t>(1);
  const std::unique_ptr<GlobalData> data = Sent(literal);
  literal.Set<int32_t>({}, 2);
  EXPECT_EQ(TheClient().Transfer(*data).value(), LiteralUtil::CreateR0<int32_t>(1));
  EXPECT_TRUE(TheClient().Unregister(*data).ok());
  EXPECT_EQ(TheClient().Transfer(*data).value(), LiteralUtil::CreateR0<int32_t>(1));
}

TEST(ClientTest, TuplesAreTakenApart) {
  const Literal one = LiteralUtil::CreateR0<int32_t>(1);
  const std::unique_ptr<GlobalData> tuple = Sent(LiteralUtil::MakeTuple({&Table(), &one}));
  const std::vector<std::unique_ptr<GlobalData>> elements =
      TheClient().DeconstructTuple(*tuple).value();
  ASSERT_EQ(elements.size(), 2u);
  EXPECT_EQ(TheClient().Transfer(*elements[0]).value(), Table());
  EXPECT_EQ(TheClient().Transfer(*elements[1]).value(), one);
  // It is whole as before.
  EXPECT_EQ(TheClient().Transfer(*tuple).value(), LiteralUtil::MakeTuple({&Table(), &one}));
  EXPECT_EQ(Refused(TheClient().DeconstructTuple(*elements[0]).status()),
            "expected a tuple, but the value is f32[2,3]");
}

TEST(ClientTest, TellsShapesAndDevices) {
  EXPECT_TRUE(ShapeUtil::Equal(TheClient().GetShape(*Sent(Table())).value(), Table().shape()));
  const std::unique_ptr<ProgramShape> program = TheClient().GetComputationShape(Both()).value();
  EXPECT_EQ(program->parameters_size(), 2);
  EXPECT_TRUE(program->result().IsTuple());
  EXPECT_FALSE(TheClient().GetComputationShape(XlaComputation()).ok());
  const std::vector<DeviceHandle> devices = TheClient().GetDeviceHandles(1).value();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].handle(), 0);
  EXPECT_EQ(devices[0].device_count(), 1);
  for (int64_t count : {0, 2}) {
    EXPECT_THAT(Refused(TheClient().GetDeviceHandles(count).status()),
                HasSubstr("but got " + std::to_string(count)));
  }
  EXPECT_EQ(TheClient().device_count(), 1);
  EXPECT_EQ(TheClient().default_device_ordinal(), 0);
  EXPECT_TRUE(TheClient().device_ordinal_supported(0));
  EXPECT_FALSE(TheClient().device_ordinal_supported(1));
  EXPECT_FALSE(TheClient().device_ordinal_supported(-1));
}

TEST(ClientTest, AProfileGetsTheTimeOfTheExecution) {
  const std::unique_ptr<GlobalData> argument = Sent(Table());
  ExecutionProfile profile;
  EXPECT_EQ(profile.compute_time_ns(), 0);
  profile.set_compute_time_ns(-1);
  ASSERT_TRUE(TheClient().Execute(Same(), {argument.get()}, nullptr, &profile).ok());
  EXPECT_GT(profile.compute_time_ns(), 0);
}

TEST(ClientLibraryTest, OptionsKeepWhatIsSet) {
  const LocalClientOptions none;
  EXPECT_EQ(none.platform(), nullptr);
  EXPECT_EQ(none.number_of_replicas(), 1);
  EXPECT_EQ(none.intra_op_parallelism_threads(), -1);
  EXPECT_FALSE(none.allowed_devices().has_value());
  LocalClientOptions options;
  auto* platform = reinterpret_cast<stream_executor::Platform*>(&options);
  EXPECT_EQ(&options.set_platform(platform)
                 .set_number_of_replicas(2)
                 .set_intra_op_parallelism_threads(3)
                 .set_allowed_devices(std::set<int>{4}),
            &options);
  EXPECT_EQ(options.platform(), platform);
  EXPECT_EQ(options.number_of_replicas(), 2);
  EXPECT_EQ(options.intra_op_parallelism_threads(), 3);
  EXPECT_EQ(options.allowed_devices(), std::set<int>{4});
  const LocalClientOptions constructed(platform, 2, 3, std::set<int>{4});
  EXPECT_EQ(constructed.platform(), platform);
  EXPECT_EQ(constructed.number_of_replicas(), 2);
  EXPECT_EQ(constructed.intra_op_parallelism_threads(), 3);
  EXPECT_EQ(constructed.allowed_devices(), std::set<int>{4});
}

TEST(ClientLibraryTest, GivesOutOneClientAndRefusesWhatItHasNot) {
  EXPECT_EQ(ClientLibrary::GetOrCreateLocalClient().value(), &TheClient());
  EXPECT_EQ(ClientLibrary::GetOrCreateLocalClient(nullptr, std::set<int>{0, 7}).value(),
            &TheClient());
  EXPECT_THAT(Refused(ClientLibrary::GetOrCreateLocalClient(nullptr, std::set<int>{1}).status()),
              HasSubstr("expected device 0"));
  EXPECT_THAT(Refused(ClientLibrary::GetOrCreateLocalClient(nullptr, std::set<int>{}).status()),
              HasSubstr("expected device 0"));
  LocalClientOptions options;
  for (int replicas : {0, 2}) {
    options.set_number_of_replicas(replicas);
    EXPECT_THAT(Refused(ClientLibrary::GetOrCreateLocalClient(options).status()),
                HasSubstr("but got " + std::to_string(replicas)));
  }
  auto* platform = reinterpret_cast<stream_executor::Platform*>(&options);
  EXPECT_EQ(ClientLibrary::GetOrCreateLocalClient(platform).status().code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace xla
