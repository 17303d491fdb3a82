#include "callbridge/typed_ffi/host/invocation.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/typed_ffi/host/attributes.h"
#include "callbridge/typed_ffi/host/thread_pool.h"
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

// ---- What was not provided ----

constexpr char kWhy[] = "there never is any";
constexpr NoMore kNoMore = {kWhy};

// Each question by a name, with the error that it has where the call just was provided nothing.
// Empty: it has an answer.
struct Question {
  const char* what;  // how the error begins
  absl::Status (*ask)(Invocation& invocation);
  absl::Status not_lent;
};
std::vector<Question> Questions() {
  return {
      {"XLA FFI GPU stream is not available",
       [](Invocation& call) { return call.Stream().status(); },
       absl::UnimplementedError("XLA FFI GPU stream is not available: the caller provides none")},
      {"XLA FFI device ordinal is not available",
       [](Invocation& call) { return call.DeviceOrdinal().status(); },
       absl::FailedPreconditionError(
           "XLA FFI device ordinal is not available: the caller provides none")},
      {"XLA FFI run id is not available", [](Invocation& call) { return call.RunId().status(); },
       absl::FailedPreconditionError("XLA FFI run id is not available: the caller provides none")},
      {"No intra-op thread pool available on this platform",
       [](Invocation& call) { return call.Threads().status(); },
       absl::UnimplementedError(
           "No intra-op thread pool available on this platform: the caller provides none")},
      {"XLA FFI user data is not available",
       [](Invocation& call) { return call.FindUserData(kType).status(); },
       absl::NotFoundError("User data with type id 7 not found in execution context")},
      {"No device memory allocator available on this platform",
       [](Invocation& call) { return call.AllocateScratch(1, 1).status(); },
       absl::UnimplementedError(
           "No device memory allocator available on this platform: the caller provides none")},
      {"No XLA FFI extension is available",
       [](Invocation& call) { return call.FindExtension(1).status(); }, absl::OkStatus()},
      {"XLA FFI custom options are not available",
       [](Invocation& call) { return call.CustomOptions().status(); }, absl::OkStatus()},
  };
}

TEST(InvocationTest, SaysWhatWasNotLent) {
  for (const Question& question : Questions()) {
    Invocation invocation({}, {});
    EXPECT_EQ(question.ask(invocation), question.not_lent);
    EXPECT_EQ(invocation.Outcome(absl::AbortedError("own")), absl::AbortedError("own"));
  }
  Invocation invocation({}, {});
  EXPECT_EQ(*invocation.FindExtension(1), nullptr);
  EXPECT_EQ((*invocation.CustomOptions())->size, 0);
}

// XLA's headers make an INVALID_ARGUMENT of a refusal; the run is UNIMPLEMENTED where the handler
// then fails.
TEST(InvocationTest, WhatCanNeverBeLentIsUnimplemented) {
  RuntimeServices services;
  services.no_more = &kNoMore;
  for (const Question& question : Questions()) {
    Invocation invocation(services, {});
    EXPECT_EQ(invocation.Outcome(absl::AbortedError("own")), absl::AbortedError("own"));
    const std::string refusal = absl::StrCat(question.what, ": ", kWhy);
    EXPECT_EQ(question.ask(invocation), absl::UnimplementedError(refusal));
    EXPECT_EQ(invocation.Outcome(absl::OkStatus()), absl::OkStatus());
    EXPECT_EQ(invocation.Outcome(absl::InvalidArgumentError("decoding: " + refusal)),
              absl::UnimplementedError("decoding: " + refusal));
    EXPECT_EQ(invocation.Outcome(absl::AbortedError("own")),
              absl::UnimplementedError("own (" + refusal + ")"));
    // The reason is said once, and where it is not, in full.
    EXPECT_EQ(invocation.Outcome(absl::AbortedError(absl::StrCat("own: ", kWhy))),
              absl::UnimplementedError(absl::StrCat("own: ", kWhy)));
    EXPECT_EQ(invocation.Outcome(absl::AbortedError(question.what)),
              absl::UnimplementedError(absl::StrCat(question.what, " (", refusal, ")")));
  }
}

// ---- A device ordinal that the caller does not say

const void* asked_of = nullptr;
constexpr NoMore kFindsOrdinal = {kWhy, [](void* stream) -> absl::StatusOr<int32_t> {
                                    asked_of = stream;
                                    return 5;
                                  }};
constexpr NoMore kFindsNone = {
    kWhy, [](void*) -> absl::StatusOr<int32_t> { return absl::UnavailableError("no driver"); }};

TEST(InvocationTest, FindsTheOrdinalOfTheStreamsDevice) {
  int stream = 0;
  RuntimeServices services;
  services.no_more = &kFindsOrdinal;
  services.stream = &stream;
  asked_of = nullptr;
  EXPECT_EQ(*Invocation(services, {}).DeviceOrdinal(), 5);
  EXPECT_EQ(asked_of, &stream);
  services.device_ordinal = 3;
  asked_of = nullptr;
  EXPECT_EQ(*Invocation(services, {}).DeviceOrdinal(), 3);
  EXPECT_EQ(asked_of, nullptr) << "the caller says it";
}

TEST(InvocationTest, FindsNoOrdinalWithoutAStreamOrADriver) {
  const std::string refusal = absl::StrCat("XLA FFI device ordinal is not available: ", kWhy);
  RuntimeServices services;
  services.no_more = &kFindsOrdinal;
  EXPECT_EQ(Invocation(services, {}).DeviceOrdinal().status(), absl::UnimplementedError(refusal));
  services.no_more = &kFindsNone;
  services.stream = nullptr;
  Invocation invocation(services, {});
  const std::string with_driver = refusal + "; nor does the driver say it: no driver";
  EXPECT_EQ(invocation.DeviceOrdinal().status(), absl::UnimplementedError(with_driver));
  EXPECT_EQ(invocation.Outcome(absl::InvalidArgumentError("decoding: " + with_driver)),
            absl::UnimplementedError("decoding: " + with_driver));
}

TEST(InvocationTest, AnswersWithWhatWasLent) {
  HostScratchAllocator scratch;
  FixedThreadPool threads(1);
  const UserData user_data[] = {{{6}, &scratch}, {kType, &threads}};
  const XLA_FFI_Extension second = {sizeof(second), {2, 0, 0}, nullptr};
  XLA_FFI_Extension first = {sizeof(first), {1, 0, 0}, const_cast<XLA_FFI_Extension*>(&second)};
  const EncodedAttributes options(Attributes().SetString("a", "b"));
  for (const NoMore* no_more : {static_cast<const NoMore*>(nullptr), &kNoMore}) {
    RuntimeServices services;
    services.stream = &scratch;
    services.device_ordinal = 3;
    services.run_id = 4;
    services.thread_pool = &threads;
    services.scratch = &scratch;
    services.user_data = user_data;
    services.custom_options = &options.get();
    services.extensions = &first;
    services.no_more = no_more;
    Invocation invocation(services, {});
    EXPECT_EQ(*invocation.Stream(), &scratch);
    EXPECT_EQ(*invocation.DeviceOrdinal(), 3);
    EXPECT_EQ(*invocation.RunId(), 4);
    EXPECT_EQ(*invocation.Threads(), &threads);
    EXPECT_EQ(*invocation.FindUserData(kType), &threads);
    EXPECT_EQ(*invocation.FindUserData({6}), &scratch);
    EXPECT_EQ(*invocation.CustomOptions(), &options.get());
    EXPECT_EQ(*invocation.FindExtension(1), &first);
    EXPECT_EQ(*invocation.FindExtension(2), &second);
    EXPECT_EQ(invocation.FindExtension(3).ok(), no_more == nullptr);
    const absl::StatusOr<void*> memory = invocation.AllocateScratch(8, 64);
    ASSERT_TRUE(memory.ok());
    EXPECT_TRUE(invocation.FreeScratch(*memory).ok());
    EXPECT_FALSE(invocation.MustRunTasksHere());
  }
}

// Nothing is refused where null itself was provided.
TEST(InvocationTest, ANullStreamIsAStream) {
  RuntimeServices services;
  services.stream = nullptr;
  Invocation invocation(services, {});
  EXPECT_EQ(*invocation.Stream(), nullptr);
}

// Whether tasks are to be run at once, on the thread that called the handler and on another one.
std::pair<bool, bool> MustRunTasksHere(const RuntimeServices& services) {
  Invocation invocation(services, {});
  const bool here = invocation.MustRunTasksHere();
  bool there = false;
  std::thread([&] { there = invocation.MustRunTasksHere(); }).join();
  return {here, there};
}

TEST(InvocationTest, TasksRunAtOnceWhereThereNeverAreThreads) {
  const auto neither = std::make_pair(false, false);
  FixedThreadPool threads(1);
  RuntimeServices services;
  EXPECT_EQ(MustRunTasksHere(services), neither);
  services.no_more = &kNoMore;
  EXPECT_EQ(MustRunTasksHere(services), std::make_pair(false, true));
  services.thread_pool = &threads;
  EXPECT_EQ(MustRunTasksHere(services), neither);
}

TEST(InvocationTest, ANullContextIsACallThatWasLentNothing) {
  EXPECT_EQ(Invocation::Of(nullptr).Stream().status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(Invocation::Of(nullptr).GetState(XLA_FFI_ExecutionStage_PREPARE, kType).status(),
            absl::NotFoundError("State is not set"));
  Invocation invocation({}, {});
  EXPECT_EQ(&Invocation::Of(invocation.get()), &invocation);
}

TEST(InvocationTest, SaysAtWhichStageAStateCannotBeSet) {
  HandlerState state;
  Invocation invocation({}, {&state, nullptr, nullptr});
  invocation.set_stage(XLA_FFI_ExecutionStage_EXECUTE);
  EXPECT_EQ(invocation.SetState(XLA_FFI_ExecutionStage_INSTANTIATE, kType, nullptr, nullptr),
            absl::FailedPreconditionError(
                "State of stage 0 cannot be set at stage 3: a stage sets its own state, and "
                "EXECUTE and RECORD have none"));
}

}  // namespace
}  // namespace host
}  // namespace callbridge
