// CALLBRIDGE_EXPORT with State(): on a hand-made runtime of each version, what is made when and how
// often, and what is said where a state cannot be had.
#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "callbridge/export.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/site_descriptors.h"
#include "tests/counted_allocations.h"
#include "tests/typed_ffi/call_frame.h"
#include "tests/typed_ffi/fake_runtime.h"

using callbridge::ExportOptions;

static std::atomic<int> plans_made{0};
static std::atomic<int> plans_alive{0};

// What a function of version 3 would make of its opaque at every call.
struct Plan {
  explicit Plan(std::string text) : opaque(std::move(text)) {
    ++plans_made;
    ++plans_alive;
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() { --plans_alive; }
  const std::string opaque;
  std::atomic<int> calls{0};
};

static std::unique_ptr<Plan> MakePlan(const char* opaque, size_t opaque_len) {
  std::string text(opaque, opaque_len);
  if (text == "throw") throw std::runtime_error("no plan for that");
  if (text == "throw 7") throw 7;
  if (text == "null") return nullptr;
  return std::make_unique<Plan>(std::move(text));
}

// A state of another type, which a table of the same program has.
struct Table {
  int size;
};
static std::unique_ptr<Table> MakeTable(const char*, size_t opaque_len) noexcept {
  return std::make_unique<Table>(Table{static_cast<int>(opaque_len)});
}

static std::string seen;  // the state's opaque, then that of the call
static void* seen_stream;

static void CountCalls(Plan& plan, void* out, const void** in) {
  *static_cast<float*>(out) = *static_cast<const float*>(in[0]) + static_cast<float>(++plan.calls);
}
static void Look(const Plan& plan, void*, const void**, const char* opaque, size_t opaque_len,
                 XlaCustomCallStatus* status) {
  seen = plan.opaque + "|" + std::string(opaque, opaque_len);
  if (plan.opaque == "fail") XlaCustomCallStatusSetFailure(status, "no convergence", 14);
  if (plan.opaque == "throw in the call") throw std::runtime_error("boom");
}
static void Launch(Plan& plan, void* stream, void** buffers, const char*, size_t) noexcept {
  seen = plan.opaque;
  seen_stream = stream;
  *static_cast<float*>(buffers[1]) = 5;
}
static void SumTuple(const Table& table, void* out, const void** in) {
  const auto* pair = static_cast<const float* const*>(in[0]);
  *static_cast<float*>(out) = *pair[0] + *pair[1] + static_cast<float>(table.size);
}

CALLBRIDGE_EXPORT(Counting, CountCalls,
                  ExportOptions().State<&MakePlan>().Shapes("f32[] -> f32[]"));
CALLBRIDGE_EXPORT(CountingAnyShapes, CountCalls, ExportOptions().State<MakePlan>());
CALLBRIDGE_EXPORT(Looking, Look, ExportOptions().OpaqueAttribute("config").State<&MakePlan>());
CALLBRIDGE_EXPORT(Launching, Launch, ExportOptions().Gpu().State<&MakePlan>());
CALLBRIDGE_EXPORT(SummingTuple, SumTuple,
                  ExportOptions().Shapes("(f32[],f32[]) -> f32[]").State<&MakeTable>());

namespace callbridge {
namespace {

using ::testing::HasSubstr;
using typed_ffi::ApiFunction;
using typed_ffi::kRuntimeVersionCount;
using typed_ffi::StateLayout;
using typed_ffi::testing::CallFrame;
using typed_ffi::testing::FakeCall;
using typed_ffi::testing::FakeRuntime;
using typed_ffi::testing::live_errors;
using typed_ffi::testing::RowName;
using typed_ffi::testing::TakeText;

// Like XLA's API tables it lives as long as the process.
FakeRuntime& NewRuntime(int row) {
  static auto& all = *new std::vector<std::unique_ptr<FakeRuntime>>();
  return *all.emplace_back(std::make_unique<FakeRuntime>(row));
}

void DeleteStates(FakeCall& call) {
  for (const auto& [stage, state] : call.states) state.deleter(state.state);
  call.states.clear();
}

size_t RegisteredTypes() { return FakeRuntime::registry().types.size(); }

class ExportsStateTest : public ::testing::TestWithParam<int> {
 protected:
  ExportsStateTest() {
    plans_made = 0;
    seen.clear();
  }
  ~ExportsStateTest() override {
    EndCall();
    EXPECT_EQ(live_errors, 0);
    EXPECT_EQ(plans_alive, 0);
  }
  void EndCall() { DeleteStates(runtime->call); }

  bool HasState() const { return runtime->version().state != StateLayout::kNone; }

  // The error's code and text, "" for none.
  std::string Instantiate(XLA_FFI_Handler* handler, const std::string& opaque,
                          const char* attribute = "opaque") {
    CallFrame frame;
    if (!opaque.empty()) frame.attributes().String(attribute, opaque);
    return TakeText(handler(frame.ForCall(*runtime, runtime->version().instantiate)));
  }
  // Of f32[] -> f32[].
  std::string Execute(XLA_FFI_Handler* handler) {
    CallFrame frame;
    frame.Arg(XLA_FFI_DataType_F32, {}, &in).Ret(XLA_FFI_DataType_F32, {}, &out);
    return TakeText(handler(frame.ForCall(*runtime)));
  }

  FakeRuntime* runtime = &NewRuntime(GetParam());
  float in = 10;
  float out = 0;
};

INSTANTIATE_TEST_SUITE_P(AllVersions, ExportsStateTest, ::testing::Range(0, kRuntimeVersionCount),
                         [](const auto& info) { return RowName(info.param); });

TEST_P(ExportsStateTest, IsMadeOnceAndDestroyedOnce) {
  if (!HasState()) {
    EXPECT_EQ(Execute(&Counting),
              "12: State needs the XLA FFI 0.0 of jaxlib 0.4.31 or newer; this runtime speaks 0.0 "
              "(jaxlib 0.4.30)");
    return;
  }
  for (XLA_FFI_Handler* handler : {&Counting, &CountingAnyShapes}) {
    plans_made = 0;
    EXPECT_EQ(Instantiate(handler, "a plan"), "");
    for (int call = 1; call <= 3; ++call) {
      EXPECT_EQ(Execute(handler), "");
      EXPECT_EQ(out, 10.0F + static_cast<float>(call));
    }
    EXPECT_EQ(plans_made, 1);
    EXPECT_EQ(plans_alive, 1);
    EndCall();
    EXPECT_EQ(plans_alive, 0);
  }
}

TEST_P(ExportsStateTest, IsMadeOfTheOpaque) {
  if (!HasState()) return;
  const std::string opaque("\xff\0\xfe\0", 4);
  for (const std::string& made_of : {std::string(), opaque}) {
    EXPECT_EQ(Instantiate(&Looking, made_of, "config"), "");
    EXPECT_EQ(Execute(&Looking), "");
    EXPECT_EQ(seen, made_of + "|");
    EndCall();
  }
  // As bytes, and of a site descriptor.
  const std::string site = Descriptor({"f32[]"}, "f32[]", opaque);
  CallFrame frame;
  frame.Arg(XLA_FFI_DataType_F32, {}, &in).Ret(XLA_FFI_DataType_F32, {}, &out);
  frame.attributes().Array("callbridge_site", XLA_FFI_DataType_U8, site.size(), site.data(),
                           site.size());
  EXPECT_EQ(TakeText(Looking(frame.ForCall(*runtime, runtime->version().instantiate))), "");
  EXPECT_EQ(TakeText(Looking(frame.ForCall(*runtime))), "");
  EXPECT_EQ(seen, opaque + "|" + opaque);
}

TEST_P(ExportsStateTest, AnOpaqueOfAnotherTypeIsRefused) {
  if (!HasState()) return;
  CallFrame frame;
  frame.attributes().S32("opaque", 7);
  EXPECT_EQ(TakeText(Counting(frame.ForCall(*runtime, runtime->version().instantiate))),
            "3: attribute \"opaque\" is neither a string nor an array of uint8");
  EXPECT_EQ(plans_made, 0);
}

TEST_P(ExportsStateTest, FunctionsOfEveryAbiGetIt) {
  if (!HasState()) return;
  int stream;
  runtime->call.stream = &stream;
  EXPECT_EQ(Instantiate(&Launching, "gpu"), "");
  EXPECT_EQ(Execute(&Launching), "");
  EXPECT_EQ(seen, "gpu");
  EXPECT_EQ(seen_stream, &stream);
  EXPECT_EQ(out, 5);

  EndCall();
  EXPECT_EQ(Instantiate(&SummingTuple, "123"), "");
  float more = 100;
  CallFrame frame;
  frame.Arg(XLA_FFI_DataType_F32, {}, &in).Arg(XLA_FFI_DataType_F32, {}, &more);
  frame.Ret(XLA_FFI_DataType_F32, {}, &out);
  EXPECT_EQ(TakeText(SummingTuple(frame.ForCall(*runtime))), "");
  EXPECT_EQ(out, 113);
}

TEST_P(ExportsStateTest, FailuresOfItsMaker) {
  if (!HasState()) return;
  EXPECT_EQ(Instantiate(&Counting, "throw"),
            "13: CustomCall failed: the maker of the state threw std::runtime_error: no plan for "
            "that");
  EXPECT_EQ(Instantiate(&Counting, "throw 7"),
            "13: CustomCall failed: the maker of the state threw int");
  EXPECT_EQ(Instantiate(&Counting, "null"),
            "13: CustomCall failed: the maker of the state returned null for an opaque of 4 bytes");
  EXPECT_TRUE(runtime->call.states.empty());
  EXPECT_EQ(plans_made, 0);
}

TEST_P(ExportsStateTest, FailuresOfTheFunction) {
  if (!HasState()) return;
  EXPECT_EQ(Instantiate(&Looking, "fail", "config"), "");
  EXPECT_EQ(Execute(&Looking), "13: CustomCall failed: no convergence");
  EndCall();
  EXPECT_EQ(Instantiate(&Looking, "throw in the call", "config"), "");
  EXPECT_EQ(Execute(&Looking), "13: CustomCall failed: the target threw std::runtime_error: boom");
}

constexpr char kNotMade[] =
    "this handler keeps a state, and none was made for this call: register the handler for the "
    "instantiate stage too, as {\"instantiate\": handler, \"execute\": handler}; an untyped call "
    "has no such stage";

TEST_P(ExportsStateTest, WithoutTheInstantiateStage) {
  if (!HasState()) return;
  EXPECT_EQ(Execute(&Counting), std::string("9: ") + kNotMade);
  // Where another call has one.
  EXPECT_EQ(Instantiate(&Counting, ""), "");
  EndCall();
  EXPECT_EQ(Execute(&Counting), std::string("9: ") + kNotMade + ": the state is not set");
}

TEST_P(ExportsStateTest, NullIsNoState) {
  if (!HasState()) return;
  EXPECT_EQ(Instantiate(&Counting, ""), "");
  auto& state = runtime->call.states.begin()->second.state;
  void* const plan = std::exchange(state, nullptr);
  EXPECT_EQ(Execute(&Counting), std::string("9: ") + kNotMade);
  state = plan;
}

TEST_P(ExportsStateTest, WhatTheRuntimeRefuses) {
  if (!HasState()) return;
  EXPECT_EQ(Instantiate(&Counting, "first"), "");
  EXPECT_EQ(Instantiate(&Counting, "second"), "9: the state is already set");
  EXPECT_EQ(plans_made, 2);
  EXPECT_EQ(plans_alive, 1);
}

TEST_P(ExportsStateTest, RuntimesThatLeaveItOut) {
  if (!HasState()) return;
  EXPECT_EQ(Instantiate(&Counting, ""), "");
  runtime->LeaveOut(ApiFunction::kStateSet);
  EXPECT_THAT(Instantiate(&Counting, ""), HasSubstr("12: State is not offered by this runtime"));
  EXPECT_EQ(plans_alive, 1);
  runtime->LeaveOut(ApiFunction::kStateGet);
  EXPECT_THAT(Execute(&Counting), HasSubstr("12: State is not offered by this runtime"));
}

TEST_P(ExportsStateTest, RuntimesThatRegisterNoTypes) {
  if (!HasState()) return;
  for (const ApiFunction function : {ApiFunction::kTypeRegister, ApiFunction::kTypeIdRegister}) {
    if (runtime->Has(function)) runtime->LeaveOut(function);
  }
  EXPECT_THAT(Instantiate(&Counting, ""), HasSubstr("12: State is not offered by this runtime"));
  EXPECT_EQ(plans_made, 1);
  EXPECT_EQ(plans_alive, 0);
}

// A frame of no stage is not taken for one of the stage that such a runtime does not have.
TEST_P(ExportsStateTest, NoStageIsRefused) {
  CallFrame frame;
  EXPECT_THAT(TakeText(Counting(frame.ForCall(*runtime, typed_ffi::kNoStage))),
              HasSubstr("but was called at stage number -1"));
  EXPECT_EQ(plans_made, 0);
}

TEST_P(ExportsStateTest, OtherStagesAreRefused) {
  CallFrame frame;
  const std::string refusal =
      TakeText(Counting(frame.ForCall(*runtime, runtime->version().prepare)));
  const auto number = [](int stage) { return std::to_string(stage); };
  EXPECT_EQ(refusal, HasState()
                         ? "3: Wrong execution stage: this handler serves instantiate and execute, "
                           "which are numbers " +
                               number(runtime->version().instantiate) + " and " +
                               number(runtime->version().execute) +
                               " on this runtime, but was called at stage number " +
                               number(runtime->version().prepare)
                         : "3: Wrong execution stage: this handler serves execute, which is number "
                           "2 on this runtime, but was called at stage number 0");
}

TEST_P(ExportsStateTest, EveryTypeIsRegisteredOnceWithEachRuntime) {
  if (!HasState()) return;
  // The one that was registered first is the last that is found.
  FakeRuntime* const one = runtime;
  FakeRuntime* const other = &NewRuntime(kRuntimeVersionCount - 1);
  FakeRuntime* const third = &NewRuntime(GetParam());
  const size_t before = RegisteredTypes();
  for (int i = 0; i < 3; ++i) {
    for (FakeRuntime* each : {one, other, third}) {
      runtime = each;
      EXPECT_EQ(Instantiate(&Counting, ""), "");
      EXPECT_EQ(Execute(&Counting), "");
      EndCall();
    }
  }
  EXPECT_EQ(RegisteredTypes(), before + 3);
  // And each type on its own.
  EXPECT_EQ(Instantiate(&SummingTuple, ""), "");
  EXPECT_EQ(RegisteredTypes(), before + 4);
  EXPECT_EQ(Execute(&Counting), std::string("9: ") + kNotMade + ": the state has another type");
  const auto& types = FakeRuntime::registry().types;
  for (size_t i = before; i < before + 4; ++i) {
    for (size_t j = before; j < i; ++j) {
      EXPECT_NE(types[i].name, types[j].name);
      EXPECT_NE(types[i].id, types[j].id);
    }
  }
}

TEST_P(ExportsStateTest, ThreadsThatInstantiateAtOnce) {
  if (!HasState()) return;
  const size_t before = RegisteredTypes();
  constexpr int kThreads = 8;
  std::vector<FakeCall> calls(kThreads);
  std::vector<std::string> answers(kThreads);
  std::vector<float> results(kThreads);
  std::vector<std::thread> threads;
  std::atomic<bool> all_are_there{false};
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      float operand = 1;
      CallFrame frame;
      frame.Arg(XLA_FFI_DataType_F32, {}, &operand).Ret(XLA_FFI_DataType_F32, {}, &results[i]);
      while (!all_are_there) {
      }
      for (const auto stage : {runtime->version().instantiate, runtime->version().execute}) {
        XLA_FFI_CallFrame* call = frame.ForCall(*runtime, stage);
        call->ctx = reinterpret_cast<XLA_FFI_InvokeContext*>(&calls[i]);
        answers[i] += TakeText(Counting(call));
      }
    });
  }
  all_are_there = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answers, std::vector<std::string>(kThreads));
  EXPECT_EQ(results, std::vector<float>(kThreads, 2));
  EXPECT_EQ(plans_alive, kThreads);
  EXPECT_EQ(RegisteredTypes(), before + 1);
  for (FakeCall& call : calls) DeleteStates(call);
}

TEST_P(ExportsStateTest, CallsAllocateNothing) {
  if (!HasState()) return;
  EXPECT_EQ(Instantiate(&Counting, "a plan whose opaque is longer than a short string"), "");
  CallFrame frame;
  frame.Arg(XLA_FFI_DataType_F32, {}, &in).Ret(XLA_FFI_DataType_F32, {}, &out);
  XLA_FFI_CallFrame* call = frame.ForCall(*runtime);
  const int before = allocations;
  XLA_FFI_Error* error = Counting(call);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(error, nullptr);
}

// The state was made of the attributes, and a function that asks for no more of them is not shown
// them again.
TEST_P(ExportsStateTest, AttributesAreReadWhereTheyAreNeeded) {
  if (!HasState()) return;
  EXPECT_EQ(Instantiate(&Counting, "a plan"), "");
  CallFrame frame;
  frame.Arg(XLA_FFI_DataType_F32, {}, &in).Ret(XLA_FFI_DataType_F32, {}, &out);
  frame.attributes().S32("opaque", 7);
  EXPECT_EQ(TakeText(Counting(frame.ForCall(*runtime))), "");
  EXPECT_EQ(out, 11);
  // One without declared shapes, whose site descriptor they may be, is.
  EXPECT_EQ(TakeText(CountingAnyShapes(frame.ForCall(*runtime))),
            "3: attribute \"opaque\" is neither a string nor an array of uint8");
}

}  // namespace
}  // namespace callbridge
