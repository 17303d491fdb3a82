// What a run does with the handlers of its stages, in the shape of each version.
#include "callbridge/typed_ffi/host/handler_instance.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/future_object.h"
#include "callbridge/typed_ffi/runtime_versions.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/floating_point_mode.h"

namespace callbridge {
namespace host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using typed_ffi::kNewestVersion;
using typed_ffi::kRuntimeVersions;
using typed_ffi::RuntimeVersion;

absl::StatusOr<std::unique_ptr<HandlerInstance>> Instance(const RuntimeVersion& version,
                                                          const XLA_FFI_Handler_Bundle& bundle,
                                                          const RuntimeServices& services = {}) {
  return HandlerInstance::Create(version, bundle, CallFrame({}, {}, Attributes()), services);
}

// Built with newer headers than the runtime's, whose frame ends before the future.
XLA_FFI_Error* WritesAFuture(XLA_FFI_CallFrame* frame) {
  frame->future = reinterpret_cast<XLA_FFI_Future*>(frame);
  return nullptr;
}

TEST(HandlerInstanceTest, AFutureIsRefusedWhereTheVersionHasNone) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = &WritesAFuture;
  int versions = 0;
  for (const RuntimeVersion& version : kRuntimeVersions) {
    if (version.frame_has_future) continue;
    ++versions;
    const auto instance = Instance(version, bundle);
    ASSERT_TRUE(instance.ok()) << instance.status();
    const absl::Status status = (*instance)->Execute({});
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << status;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("the handler wrote XLA_FFI_CallFrame.future, which " +
                          std::string(version.releases) + " does not have"));
  }
  EXPECT_EQ(versions, 3);
}

// ---- Stages -------------------------------------------------------------------------------------

std::vector<int> stages;  // those that were called, by the runtime's numbers
int fails_at = -1;        // the one that returns an error
int finishes_later = -1;  // the one that returns a future, which has failed

XLA_FFI_Error* NotesItsStage(XLA_FFI_CallFrame* frame) {
  stages.push_back(frame->stage);
  EXPECT_EQ(frame->future, nullptr) << "of an earlier stage";
  if (frame->stage == fails_at)
    return ErrorObject::Make(XLA_FFI_Error_Code_ABORTED, "at its stage");
  if (frame->stage == finishes_later) {
    frame->future = FutureObject::Create();
    EXPECT_TRUE(FutureObject::Complete(frame->future, absl::DataLossError("later")).ok());
  }
  return nullptr;
}

using Member = XLA_FFI_Handler* XLA_FFI_Handler_Bundle::*;
struct Stage {
  Member member;
  int8_t RuntimeVersion::*number;
  const char* name;
};
constexpr Stage kStages[] = {
    {&XLA_FFI_Handler_Bundle::instantiate, &RuntimeVersion::instantiate, "INSTANTIATE"},
    {&XLA_FFI_Handler_Bundle::prepare, &RuntimeVersion::prepare, "PREPARE"},
    {&XLA_FFI_Handler_Bundle::initialize, &RuntimeVersion::initialize, "INITIALIZE"},
    {&XLA_FFI_Handler_Bundle::execute, &RuntimeVersion::execute, "EXECUTE"},
    {&XLA_FFI_Handler_Bundle::record, &RuntimeVersion::record, "RECORD"}};

class StagesOfInstanceTest : public ::testing::Test {
 protected:
  StagesOfInstanceTest() {
    stages.clear();
    fails_at = finishes_later = -1;
    for (const Stage& stage : kStages) all.*stage.member = &NotesItsStage;
  }

  XLA_FFI_Handler_Bundle all = {};
};

TEST_F(StagesOfInstanceTest, AreCalledInTheirOrderByTheVersionsNumbers) {
  for (const RuntimeVersion& version : kRuntimeVersions) {
    XLA_FFI_Handler_Bundle bundle = all;
    if (version.instantiate == typed_ffi::kNoStage) bundle.instantiate = nullptr;
    if (version.record == typed_ffi::kNoStage) bundle.record = nullptr;
    stages.clear();
    const auto instance = Instance(version, bundle);
    ASSERT_TRUE(instance.ok()) << instance.status();
    const std::vector<int> at_first =
        bundle.instantiate == nullptr ? std::vector<int>() : std::vector<int>{version.instantiate};
    EXPECT_EQ(stages, at_first);
    for (int run = 0; run < 2; ++run) {
      stages.clear();
      EXPECT_TRUE((*instance)->Execute({}).ok());
      EXPECT_THAT(stages, ElementsAre(version.prepare, version.initialize, version.execute));
    }
    stages.clear();
    const absl::Status recorded = (*instance)->Record({});
    if (bundle.record == nullptr) {
      EXPECT_EQ(recorded, absl::UnimplementedError("the handler has no RECORD stage"));
      EXPECT_THAT(stages, ElementsAre());
    } else {
      EXPECT_EQ(recorded, absl::OkStatus());
      EXPECT_THAT(stages, ElementsAre(version.prepare, version.initialize, version.record));
    }
  }
}

TEST_F(StagesOfInstanceTest, OnlyThoseThatThereAreAreCalled) {
  const std::pair<Member, int> alone[] = {{&XLA_FFI_Handler_Bundle::prepare, 1},
                                          {&XLA_FFI_Handler_Bundle::initialize, 2}};
  for (const auto& [member, stage] : alone) {
    XLA_FFI_Handler_Bundle bundle = {};
    bundle.execute = bundle.*member = &NotesItsStage;
    const auto instance = Instance(kNewestVersion, bundle);
    ASSERT_TRUE(instance.ok());
    stages.clear();
    EXPECT_TRUE((*instance)->Execute({}).ok());
    EXPECT_THAT(stages, ElementsAre(stage, 3));
  }
}

TEST_F(StagesOfInstanceTest, AVersionHasThoseThatItKnows) {
  for (const RuntimeVersion& version : kRuntimeVersions) {
    for (const Stage& stage : kStages) {
      XLA_FFI_Handler_Bundle bundle = {};
      bundle.execute = &NotesItsStage;
      bundle.*stage.member = &NotesItsStage;
      const absl::Status status = Instance(version, bundle).status();
      if (version.*stage.number != typed_ffi::kNoStage) {
        EXPECT_EQ(status, absl::OkStatus());
      } else {
        EXPECT_EQ(status, absl::UnimplementedError(
                              absl::StrCat("the handler has a stage ", stage.name, ", which ",
                                           version.releases, " does not have")));
      }
    }
  }
}

TEST_F(StagesOfInstanceTest, ExecuteIsNeeded) {
  all.execute = nullptr;
  EXPECT_EQ(
      Instance(kNewestVersion, all).status(),
      absl::InvalidArgumentError("the handler has no EXECUTE stage, which every handler needs"));
  EXPECT_THAT(stages, ElementsAre()) << "before anything is called";
}

// By an error, or by a future that comes to one: no later stage is called.
TEST_F(StagesOfInstanceTest, AnErrorEndsTheRun) {
  for (int* how : {&fails_at, &finishes_later}) {
    const absl::Status error =
        how == &fails_at ? absl::AbortedError("at its stage") : absl::DataLossError("later");
    fails_at = finishes_later = -1;
    *how = 0;
    EXPECT_EQ(Instance(kNewestVersion, all).status(), error);
    *how = -1;
    const auto instance = Instance(kNewestVersion, all);
    ASSERT_TRUE(instance.ok());
    for (int last : {1, 2, 3}) {
      *how = last;
      stages.clear();
      EXPECT_EQ((*instance)->Execute({}), error);
      EXPECT_EQ(stages.size(), static_cast<size_t>(last));
    }
    *how = 4;
    EXPECT_EQ((*instance)->Record({}), error);
    *how = -1;
    EXPECT_TRUE((*instance)->Execute({}).ok());
  }
}

TEST_F(StagesOfInstanceTest, OfBuffersThatDoNotFitNoneIsCalled) {
  const auto instance = HandlerInstance::Create(
      kNewestVersion, all, CallFrame({*ParseShape("f32[]")}, {}, Attributes()));
  ASSERT_TRUE(instance.ok());
  stages.clear();
  void* buffers[2] = {};
  const std::string begin = "the call site has 1 arguments and 0 results, but the call came with ";
  const absl::Span<void*> none, one(buffers, 1), two(buffers, 2);
  EXPECT_EQ((*instance)->Execute({two, none}),
            absl::InvalidArgumentError(begin + "2 and 0 buffers"));
  EXPECT_EQ((*instance)->Execute({one, one}),
            absl::InvalidArgumentError(begin + "1 and 1 buffers"));
  EXPECT_EQ((*instance)->Record({none, none}),
            absl::InvalidArgumentError(begin + "0 and 0 buffers"));
  absl::Status of_async;
  AsyncRun run(**instance);
  run.Start(
      {two, one}, {},
      [](void* user, absl::Status status) { *static_cast<absl::Status*>(user) = status; },
      &of_async);
  EXPECT_EQ(of_async, absl::InvalidArgumentError(begin + "2 and 1 buffers"));
  EXPECT_THAT(stages, ElementsAre());
}

TEST_F(StagesOfInstanceTest, ManyBuffersReachTheHandlerInTheirOrder) {
  static std::vector<void*> seen;
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = [](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    seen.clear();
    for (int64_t i = 0; i < frame->args.size; ++i) {
      EXPECT_EQ(frame->args.types[i], XLA_FFI_ArgType_BUFFER);
      seen.push_back(static_cast<XLA_FFI_Buffer*>(frame->args.args[i])->data);
    }
    for (int64_t i = 0; i < frame->rets.size; ++i) {
      EXPECT_EQ(frame->rets.types[i], XLA_FFI_RetType_BUFFER);
      seen.push_back(static_cast<XLA_FFI_Buffer*>(frame->rets.rets[i])->data);
    }
    return nullptr;
  };
  for (int count : {1, 127, 128, 129, 300}) {
    const std::vector<Shape> shapes(count, *ParseShape("f32[2]"));
    const auto instance =
        HandlerInstance::Create(kNewestVersion, bundle, CallFrame(shapes, shapes, Attributes()));
    std::vector<void*> buffers(2 * shapes.size());
    for (size_t i = 0; i < buffers.size(); ++i) buffers[i] = &buffers[i];
    EXPECT_TRUE((*instance)
                    ->Execute({{buffers.data(), shapes.size()}, {&buffers[count], shapes.size()}})
                    .ok());
    EXPECT_EQ(seen, buffers) << count;
  }
}

// ---- What the caller can never provide

XLA_FFI_Error* NeedsAStream(XLA_FFI_CallFrame* frame) {
  XLA_FFI_Stream_Get_Args args = {sizeof(args), nullptr, frame->ctx, nullptr};
  XLA_FFI_Error* error = frame->api->XLA_FFI_Stream_Get(&args);
  if (error == nullptr) return nullptr;
  ErrorObject::Destroy(error);
  return ErrorObject::Make(XLA_FFI_Error_Code_INTERNAL, "no stream");
}
XLA_FFI_Error* NeedsAStreamLater(XLA_FFI_CallFrame* frame) {
  XLA_FFI_Error* error = NeedsAStream(frame);
  frame->future = FutureObject::Create();
  EXPECT_TRUE(FutureObject::Complete(frame->future, ErrorObject::TakeStatus(error)).ok());
  return nullptr;
}

TEST(HandlerInstanceTest, WhatCanNeverBeLentIsUnimplementedAtEveryStage) {
  RuntimeServices services;
  static constexpr NoMore kNever = {"never"};
  services.no_more = &kNever;
  const absl::Status unimplemented =
      absl::UnimplementedError("no stream (XLA FFI GPU stream is not available: never)");
  XLA_FFI_Handler_Bundle bundle = {};
  for (XLA_FFI_Handler* handler : {&NeedsAStream, &NeedsAStreamLater}) {
    bundle.instantiate = bundle.execute = handler;
    EXPECT_EQ(Instance(kNewestVersion, bundle, services).status(), unimplemented);
    EXPECT_EQ(Instance(kNewestVersion, bundle).status(), absl::InternalError("no stream"));
    bundle.instantiate = nullptr;
    const auto instance = Instance(kNewestVersion, bundle);
    EXPECT_EQ((*instance)->Execute({}, services), unimplemented);
    EXPECT_EQ((*instance)->Execute({}), absl::InternalError("no stream"));
    absl::Status of_async;
    AsyncRun run(**instance);
    run.Start(
        {}, services,
        [](void* user, absl::Status status) { *static_cast<absl::Status*>(user) = status; },
        &of_async);
    EXPECT_EQ(of_async, unimplemented);
  }
}

// ---- Runs that go on ----------------------------------------------------------------------------

XLA_FFI_Future* pending = nullptr;
XLA_FFI_Error* FinishesWhenToldTo(XLA_FFI_CallFrame* frame) {
  frame->future = pending = FutureObject::Create();
  return nullptr;
}

int live_states = 0;
XLA_FFI_TypeId state_type = {};
XLA_FFI_Error* PreparesAState(XLA_FFI_CallFrame* frame) {
  ++live_states;
  XLA_FFI_State_Set_Args args = {XLA_FFI_State_Set_Args_STRUCT_SIZE,
                                 nullptr,
                                 frame->ctx,
                                 frame->stage,
                                 &state_type,
                                 &live_states};
  return frame->api->XLA_FFI_State_Set(&args);
}
void EndState(void*) { --live_states; }

struct Restarts {
  AsyncRun* run;
  int runs = 0;
  std::vector<absl::Status> ended;
  std::vector<int> alive;
};
void Restart(void* user, absl::Status status) {
  auto& self = *static_cast<Restarts*>(user);
  self.ended.push_back(status);
  self.alive.push_back(live_states);
  if (--self.runs > 0) self.run->Start({}, {}, &Restart, user);
}

// Being told is the last that a run does: its states have ended, and it may be started again at
// once.
TEST(AsyncRunTest, MayBeStartedAgainWhenItsEndIsTold) {
  const XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, &EndState};
  XLA_FFI_Type_Register_Args args = {
      XLA_FFI_Type_Register_Args_STRUCT_SIZE, nullptr, {"AsyncRunTest", 12}, &state_type, &info};
  ASSERT_EQ(ApiTable(kNewestVersion).XLA_FFI_Type_Register(&args), nullptr);
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.prepare = &PreparesAState;
  bundle.execute = &FinishesWhenToldTo;
  const auto instance = Instance(kNewestVersion, bundle);
  ASSERT_TRUE(instance.ok());
  AsyncRun run(**instance);
  Restarts restarts;
  restarts.run = &run;
  restarts.runs = 3;
  run.Start({}, {}, &Restart, &restarts);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(restarts.ended.size(), static_cast<size_t>(i));
    EXPECT_EQ(live_states, 1);
    EXPECT_TRUE(FutureObject::Complete(pending, absl::AbortedError(absl::StrCat(i))).ok());
  }
  EXPECT_THAT(restarts.ended, ElementsAre(absl::AbortedError("0"), absl::AbortedError("1"),
                                          absl::AbortedError("2")));
  EXPECT_THAT(restarts.alive, ElementsAre(0, 0, 0));
  EXPECT_EQ(live_states, 0);
}

TEST(AsyncRunTest, MayBeDestroyedWhenItsEndIsTold) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = &FinishesWhenToldTo;
  const auto instance = Instance(kNewestVersion, bundle);
  ASSERT_TRUE(instance.ok());
  auto run = std::make_unique<AsyncRun>(**instance);
  run->Start(
      {}, {},
      [](void* user, absl::Status) { static_cast<std::unique_ptr<AsyncRun>*>(user)->reset(); },
      &run);
  EXPECT_NE(run, nullptr);
  EXPECT_TRUE(FutureObject::Complete(pending, absl::OkStatus()).ok());
  EXPECT_EQ(run, nullptr);
}

// ---- Floating-point modes -----------------------------------------------------------------------

std::vector<uint32_t> modes;
XLA_FFI_Error* NotesItsMode(XLA_FFI_CallFrame*) {
  modes.push_back(FloatingPointMode());
  return nullptr;
}

// INSTANTIATE and runs that go on have XLA's mode, other runs the caller's, who gets his own back.
TEST(HandlerInstanceTest, FloatingPointModes) {
  constexpr uint32_t kXlas = kXlaMode, kOwn = kTowardZeroMode;
  const uint32_t before = FloatingPointControl();
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.instantiate = bundle.prepare = bundle.initialize = bundle.execute = &NotesItsMode;
  modes.clear();
  SetFloatingPointControl(kOwn);
  const auto instance = Instance(kNewestVersion, bundle);
  const uint32_t after_instantiate = FloatingPointMode();
  const absl::Status executed = (*instance)->Execute({});
  AsyncRun run(**instance);
  uint32_t when_told = 0;
  run.Start(
      {}, {}, [](void* user, absl::Status) { *static_cast<uint32_t*>(user) = FloatingPointMode(); },
      &when_told);
  const uint32_t after_start = FloatingPointMode();
  SetFloatingPointControl(before);
  EXPECT_TRUE(executed.ok());
  EXPECT_THAT(modes, ElementsAre(kXlas, kOwn, kOwn, kOwn, kXlas, kXlas, kXlas));
  EXPECT_EQ(after_instantiate, kOwn);
  EXPECT_EQ(when_told, kOwn);
  EXPECT_EQ(after_start, kOwn);
}

// ---- What a handler leaves behind

XLA_FFI_Future* left_behind = nullptr;

TEST(HandlerInstanceTest, AFutureBesideAnErrorIsAbandoned) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = [](XLA_FFI_CallFrame* frame) {
    frame->future = left_behind = FutureObject::Create();
    return ErrorObject::Make(XLA_FFI_Error_Code_ABORTED, "both");
  };
  const auto instance = Instance(kNewestVersion, bundle);
  EXPECT_EQ((*instance)->Execute({}), absl::AbortedError("both"));
  EXPECT_TRUE(FutureObject::Complete(left_behind, absl::OkStatus()).ok());  // which frees it
}

TEST(HandlerInstanceTest, WhatAHandlerThrowsIsInternal) {
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = [](XLA_FFI_CallFrame*) -> XLA_FFI_Error* {
    throw std::runtime_error("of the handler");
  };
  const auto instance = Instance(kNewestVersion, bundle);
  EXPECT_EQ((*instance)->Execute({}),
            absl::InternalError("the handler threw std::runtime_error: of the handler"));
}

}  // namespace
}  // namespace host
}  // namespace callbridge
