#include "callbridge/typed_ffi/host/invocation.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace host {
namespace {

using ::testing::HasSubstr;

constexpr XLA_FFI_TypeId kType = {7};

void DeleteInt(void* object) { delete static_cast<int*>(object); }

class InvocationStateTest : public ::testing::TestWithParam<XLA_FFI_ExecutionStage> {};

// What an earlier stage made is read at every later one, and never replaced there.
TEST_P(InvocationStateTest, AStageSetsItsOwnStateAlone) {
  HandlerState states[3];
  Invocation invocation({}, {&states[0], &states[1], &states[2]});
  invocation.set_stage(GetParam());
  for (XLA_FFI_ExecutionStage stage :
       {XLA_FFI_ExecutionStage_INSTANTIATE, XLA_FFI_ExecutionStage_PREPARE,
        XLA_FFI_ExecutionStage_INITIALIZE, XLA_FFI_ExecutionStage_EXECUTE,
        XLA_FFI_ExecutionStage_RECORD}) {
    auto state = std::make_unique<int>(stage);
    const absl::Status status = invocation.SetState(stage, kType, state.get(), &DeleteInt);
    const bool keeps_state = stage <= XLA_FFI_ExecutionStage_INITIALIZE;
    if (stage == GetParam() && keeps_state) {
      EXPECT_EQ(status, absl::OkStatus());
      EXPECT_EQ(invocation.GetState(stage, kType).value(), state.release());
      continue;
    }
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << stage;
    EXPECT_THAT(status.message(), HasSubstr("a stage sets its own state"));
    EXPECT_EQ(invocation.GetState(stage, kType).status(), absl::NotFoundError("State is not set"));
  }
}

INSTANTIATE_TEST_SUITE_P(Stages, InvocationStateTest,
                         ::testing::Values(XLA_FFI_ExecutionStage_INSTANTIATE,
                                           XLA_FFI_ExecutionStage_PREPARE,
                                           XLA_FFI_ExecutionStage_INITIALIZE,
                                           XLA_FFI_ExecutionStage_EXECUTE,
                                           XLA_FFI_ExecutionStage_RECORD));

}  // namespace
}  // namespace host
}  // namespace callbridge
