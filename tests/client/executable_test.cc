#include "callbridge/client/executable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/client/target_table.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/hlo/literal_util.h"
#include "callbridge/hlo/upgrade.h"
#include "callbridge/hlo/xla_builder.h"
#include "callbridge/hlo/xla_computation.h"
#include "callbridge/register.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using xla::XlaBuilder;
using xla::XlaOp;

constexpr int kSize = 4;
using Ints = std::vector<int32_t>;

std::atomic<int> calls{0};
std::string call_log;

void Increment(void* out, const void** in) {
  ++calls;
  for (int i = 0; i < kSize; ++i) {
    static_cast<int32_t*>(out)[i] = static_cast<const int32_t*>(in[0])[i] + 1;
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(Increment, "Host");

void Double(void* out, const void** in) {
  for (int i = 0; i < kSize; ++i) {
    static_cast<int32_t*>(out)[i] = static_cast<const int32_t*>(in[0])[i] * 2;
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(Double, "cpu");

// (a, b), c -> (a * 3 + b, b - c). The first result may be in the place of a, the second of c.
void Mix(void* out, const void** in) {
  const void* const* pair = static_cast<const void* const*>(in[0]);
  void** results = static_cast<void**>(out);
  for (int i = 0; i < kSize; ++i) {
    const uint32_t a = static_cast<const uint32_t*>(pair[0])[i];
    const uint32_t b = static_cast<const uint32_t*>(pair[1])[i];
    const uint32_t c = static_cast<const uint32_t*>(in[1])[i];
    static_cast<uint32_t*>(results[0])[i] = a * 3 + b;
    static_cast<uint32_t*>(results[1])[i] = b - c;
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(Mix, "Host");

// Adds 1 in place; -1 everywhere where the memory is another.
void InPlace(void* out, const void** in) {
  for (int i = 0; i < kSize; ++i) {
    int32_t& x = static_cast<int32_t*>(out)[i];
    x = out == in[0] ? static_cast<int32_t>(static_cast<uint32_t>(x) + 1) : -1;
  }
}
XLA_REGISTER_CUSTOM_CALL_TARGET(InPlace, "Host");

void Fail(void*, const void**, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "as asked", 8);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(Fail, "Host");

void FailLate(void*, const void**, XlaCustomCallStatus* status) {
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  XlaCustomCallStatusSetFailure(status, "late", 4);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(FailLate, "Host");

void NoteOpaque(void* out, const void**, const char* opaque, size_t size, XlaCustomCallStatus*) {
  call_log.append(opaque, size);
  memset(out, 0, kSize * sizeof(int32_t));
}
XLA_REGISTER_CUSTOM_CALL_TARGET(NoteOpaque, "Host");

// Copies its operand, but not at once.
void ReadLate(void* out, const void** in) {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  memcpy(out, in[0], kSize * sizeof(int32_t));
}
XLA_REGISTER_CUSTOM_CALL_TARGET(ReadLate, "Host");

// Returns when as many calls as the operand's first element says are in it.
std::atomic<int> meeting{0};
void Meet(void* out, const void** in, XlaCustomCallStatus* status) {
  const int32_t expected = *static_cast<const int32_t*>(in[0]);
  ++meeting;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (meeting < expected) {
    if (std::chrono::steady_clock::now() > deadline) {
      return XlaCustomCallStatusSetFailure(status, "alone", 5);
    }
    std::this_thread::yield();
  }
  memcpy(out, in[0], kSize * sizeof(int32_t));
}
XLA_REGISTER_CUSTOM_CALL_TARGET(Meet, "Host");

// Meets, and then writes whether its thread takes SIGUSR1.
void MeetAndTellSignals(void* out, const void** in, XlaCustomCallStatus* status) {
  Meet(out, in, status);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  *static_cast<int32_t*>(out) = sigismember(&blocked, SIGUSR1) == 1 ? 0 : 1;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(MeetAndTellSignals, "Host");

// Meets, and then ends the thread that it runs on: the caller's, or the other one.
std::atomic<bool> ends_the_callers{false};
thread_local bool is_the_callers = false;
void MeetAndEndThread(void* out, const void** in, XlaCustomCallStatus* status) {
  Meet(out, in, status);
  if (is_the_callers == ends_the_callers) pthread_exit(nullptr);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(MeetAndEndThread, "Host");

// One name, an untyped function's and a typed handler's.
void UntypedTwin(void* out, const void**) {
  for (int i = 0; i < kSize; ++i) static_cast<int32_t*>(out)[i] = -7;
}
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("Twin", UntypedTwin, "Host");

xla::ffi::Error TypedTwin(int32_t n, xla::ffi::ResultBuffer<xla::ffi::S32> out) {
  for (int i = 0; i < kSize; ++i) out->typed_data()[i] = n;
  return xla::ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    kTypedTwin, TypedTwin,
    xla::ffi::Ffi::Bind().Attr<int32_t>("n").Ret<xla::ffi::Buffer<xla::ffi::S32>>());
XLA_FFI_REGISTER_HANDLER(callbridge_xla_ffi_api(), "Twin", "Host", kTypedTwin);

xla::Shape S32s() { return xla::ShapeUtil::MakeShape(xla::S32, {kSize}); }

XlaOp Call(XlaBuilder& builder, const std::string& target, absl::Span<const XlaOp> operands,
           bool has_side_effect = false,
           xla::CustomCallApiVersion version = xla::API_VERSION_STATUS_RETURNING,
           xla::CustomCallSchedule schedule = xla::SCHEDULE_NONE, const std::string& opaque = "") {
  return xla::CustomCall(&builder, target, operands, S32s(), opaque, has_side_effect, {}, nullptr,
                         schedule, version);
}

XlaOp Note(XlaBuilder& builder, const std::string& text, absl::Span<const XlaOp> operands = {},
           xla::CustomCallSchedule schedule = xla::SCHEDULE_NONE) {
  return Call(builder, "NoteOpaque", operands, true, xla::API_VERSION_STATUS_RETURNING_UNIFIED,
              schedule, text);
}

XlaOp Constant(XlaBuilder& builder, int32_t first) {
  return xla::ConstantR1<int32_t>(&builder, {first, first + 1, first + 2, first + 3});
}

xla::HloModuleProto Module(XlaBuilder& builder) { return builder.Build().value().proto(); }

xla::HloInstructionProto& Find(xla::HloModuleProto& module, const std::string& opcode, int nth) {
  for (xla::HloInstructionProto& instruction :
       *module.mutable_computations(module.computations_size() - 1)->mutable_instructions()) {
    if (instruction.opcode() == opcode && nth-- == 0) return instruction;
  }
  ADD_FAILURE() << "no " << opcode;
  abort();
}

absl::StatusOr<std::unique_ptr<Executable>> Compile(const xla::HloModuleProto& module,
                                                    int threads = 1) {
  absl::StatusOr<TargetTable> targets = TargetTable::OfProcess();
  if (!targets.ok()) return targets.status();
  return Executable::Compile(module, *targets, {threads});
}

// Of modules whose parameters and results are all S32s().
absl::StatusOr<std::vector<Ints>> Execute(const Executable& executable,
                                          const std::vector<Ints>& parameters) {
  std::vector<callbridge_array> operands;
  for (const Ints& parameter : parameters) {
    operands.push_back({const_cast<int32_t*>(parameter.data()), parameter.size() * 4});
  }
  std::vector<Ints> results(executable.result().LeafCount(), Ints(kSize, 0x5555));
  std::vector<callbridge_array> arrays;
  for (Ints& result : results) arrays.push_back({result.data(), result.size() * 4});
  absl::Status status = executable.Execute(operands, arrays);
  if (!status.ok()) return status;
  return results;
}

absl::StatusOr<std::vector<Ints>> RunModule(const xla::HloModuleProto& module,
                                            const std::vector<Ints>& parameters = {},
                                            int threads = 1) {
  absl::StatusOr<std::unique_ptr<Executable>> executable = Compile(module, threads);
  if (!executable.ok()) return executable.status();
  return Execute(**executable, parameters);
}

TEST(ExecutableTest, OnlyWhatIsNeededRuns) {
  XlaBuilder builder("dead");
  const XlaOp x = Constant(builder, 1);
  Call(builder, "Increment", {x});
  Call(builder, "Increment", {Call(builder, "Increment", {x})}, /*has_side_effect=*/true);
  xla::Tuple(&builder, {x, x});
  calls = 0;
  EXPECT_THAT(RunModule(Module(builder)).value(), ElementsAre(Ints{1, 2, 3, 4}, Ints{1, 2, 3, 4}));
  EXPECT_EQ(calls, 2) << "the effect, and what it reads";
}

TEST(ExecutableTest, TargetsOfCpuAreThoseOfHost) {
  XlaBuilder builder("cpu");
  Call(builder, "Double", {Constant(builder, 1)}, false, xla::API_VERSION_ORIGINAL);
  absl::StatusOr<std::vector<Ints>> results = RunModule(Module(builder));
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(*results, ElementsAre(Ints{2, 4, 6, 8}));
}

TEST(ExecutableTest, NothingBehindAFailureRuns) {
  for (int threads : {1, 3}) {
    XlaBuilder builder("failure");
    const XlaOp failed = Call(builder, "Fail", {Constant(builder, 1)});
    Call(builder, "Increment", {failed}, /*has_side_effect=*/true);
    xla::HloModuleProto module = Module(builder);
    Find(module, "custom-call", 0).set_name("the_failing_one");
    calls = 0;
    const absl::Status status = RunModule(module, {}, threads).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_THAT(std::string(status.message()),
                testing::AllOf(HasSubstr("CustomCall failed: as asked"),
                               HasSubstr("\"the_failing_one\""), HasSubstr("\"Fail\"")));
    EXPECT_EQ(calls, 0);
  }
}

// The error does not depend on which thread is the faster.
TEST(ExecutableTest, OfSeveralFailuresTheFirstStepsIsReturned) {
  XlaBuilder builder("failures");
  const XlaOp x = Constant(builder, 1);
  xla::Tuple(&builder, {Call(builder, "FailLate", {x}), Call(builder, "Fail", {x})});
  const absl::Status status = RunModule(Module(builder), {}, 2).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("CustomCall failed: late"));
}

TEST(ExecutableTest, HintsOrderWhatIsFree) {
  XlaBuilder builder("hints");
  Note(builder, "l", {}, xla::SCHEDULE_LATEST);
  const XlaOp first = Note(builder, "1");
  Note(builder, "2", {first});
  Note(builder, "e", {}, xla::SCHEDULE_EARLIEST);
  Constant(builder, 1);
  call_log.clear();
  ASSERT_TRUE(RunModule(Module(builder)).ok());
  EXPECT_EQ(call_log, "e12l");
}

TEST(ExecutableTest, ControlPredecessorsOrder) {
  XlaBuilder builder("control");
  Note(builder, "a");
  Note(builder, "b");
  const XlaOp gathered = xla::Tuple(&builder, {Constant(builder, 1)});
  xla::GetTupleElement(gathered, 0);
  xla::HloModuleProto module = Module(builder);
  // a, which would be the first by its hint, comes behind an instruction without a step, and that
  // behind b.
  auto& instructions = *module.mutable_computations(0)->mutable_instructions();
  int a = 0;
  while (instructions[a].opcode() != "custom-call") ++a;
  xla::HloInstructionProto& tuple = Find(module, "tuple", 0);
  tuple.add_control_predecessor_ids(Find(module, "custom-call", 1).id());
  instructions[a].add_control_predecessor_ids(tuple.id());
  instructions[a].set_custom_call_schedule(xla::SCHEDULE_EARLIEST);
  const xla::HloInstructionProto moved = instructions[a];
  instructions.DeleteSubrange(a, 1);
  *instructions.Add() = moved;
  call_log.clear();
  const absl::Status status = RunModule(module).status();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(call_log, "ba");
}

// An instruction that is no step stands behind what made its values.
TEST(ExecutableTest, ControlPredecessorsWithoutAStep) {
  XlaBuilder builder("control");
  const XlaOp a = Note(builder, "a", {}, xla::SCHEDULE_EARLIEST);
  const XlaOp c = Note(builder, "c");
  const XlaOp b = Note(builder, "b");
  xla::Tuple(&builder, {a, c, xla::Reshape(b, {kSize})});
  xla::HloModuleProto module = Module(builder);
  // a, which would be the first by its hint, comes behind the reshape alone.
  auto& instructions = *module.mutable_computations(0)->mutable_instructions();
  int first = 0;
  while (instructions[first].opcode() != "custom-call") ++first;
  xla::HloInstructionProto moved = instructions[first];
  moved.add_control_predecessor_ids(Find(module, "reshape", 0).id());
  instructions.DeleteSubrange(first, 1);
  xla::HloInstructionProto tuple = instructions[instructions.size() - 1];
  ASSERT_EQ(tuple.opcode(), "tuple");
  instructions[instructions.size() - 1] = moved;
  *instructions.Add() = tuple;
  call_log.clear();
  const absl::Status status = RunModule(module).status();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(call_log, "cba");
}

TEST(ExecutableTest, ParametersAndConstantsAreNeverWritten) {
  XlaBuilder builder("alias");
  const XlaOp x = xla::Parameter(&builder, 0, S32s(), "x");
  const XlaOp c = Constant(builder, 5);
  const auto in_place = [&](XlaOp operand) {
    return xla::CustomCall(&builder, "InPlace", {operand}, S32s(), "", false, {{{}, {0, {}}}});
  };
  xla::Tuple(&builder, {in_place(x), in_place(in_place(c)), x, c});
  absl::StatusOr<std::unique_ptr<Executable>> executable = Compile(Module(builder));
  ASSERT_TRUE(executable.ok()) << executable.status();
  const std::vector<Ints> parameters = {{10, 20, 30, 40}};
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(Execute(**executable, parameters).value(),
                ElementsAre(Ints{11, 21, 31, 41}, Ints{7, 8, 9, 10}, Ints{10, 20, 30, 40},
                            Ints{5, 6, 7, 8}));
    EXPECT_THAT(parameters[0], ElementsAre(10, 20, 30, 40));
  }
}

// Random modules against what is computed beside while they are built: values are shared, aliased,
// put in tuples and taken out, and read late.
class RandomModule {
 public:
  explicit RandomModule(int seed) : random_(seed), builder_("random") {
    for (int i = 0; i < 3; ++i) {
      parameters_.push_back({Number(), Number(), Number(), Number()});
      Add(xla::Parameter(&builder_, i, S32s(), "p"), parameters_.back());
    }
    const int32_t first = Number();
    Add(Constant(builder_, first), {first, first + 1, first + 2, first + 3});
    for (int i = Pick(25); i >= 0; --i) AddInstruction();
    std::vector<XlaOp> roots;
    for (int i = Pick(6); i >= 0; --i) {
      const auto& [op, value] = Any();
      roots.push_back(op);
      expected_.push_back(value);
    }
    xla::Tuple(&builder_, roots);
  }

  void Check() {
    const xla::HloModuleProto module = Module(builder_);
    const std::vector<Ints> before = parameters_;
    for (int threads : {1, 3}) {
      absl::StatusOr<std::vector<Ints>> results = RunModule(module, parameters_, threads);
      ASSERT_TRUE(results.ok()) << results.status();
      EXPECT_EQ(*results, expected_) << threads << " threads\n" << module.DebugString();
      EXPECT_EQ(parameters_, before);
    }
  }

 private:
  using Known = std::pair<XlaOp, Ints>;

  int Pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  int32_t Number() { return Pick(2000) - 1000; }
  const Known& Any() { return known_[Pick(static_cast<int>(known_.size()))]; }
  void Add(XlaOp op, Ints value) { known_.push_back({op, std::move(value)}); }

  template <typename Fn>
  static Ints Each(const Ints& a, const Ints& b, const Fn& fn) {
    Ints result;
    for (int i = 0; i < kSize; ++i) {
      result.push_back(
          static_cast<int32_t>(fn(static_cast<uint32_t>(a[i]), static_cast<uint32_t>(b[i]))));
    }
    return result;
  }

  void AddInstruction() {
    const auto [a, a_value] = Any();
    const auto [b, b_value] = Any();
    const auto [c, c_value] = Any();
    switch (Pick(5)) {
      case 0:
        Add(a + b, Each(a_value, b_value, [](uint32_t x, uint32_t y) { return x + y; }));
        break;
      case 1:
        Add(a * b, Each(a_value, b_value, [](uint32_t x, uint32_t y) { return x * y; }));
        break;
      case 2:
        Add(xla::CustomCall(&builder_, "InPlace", {a}, S32s(), "", false, {{{}, {0, {}}}}),
            Each(a_value, b_value, [](uint32_t x, uint32_t) { return x + 1; }));
        break;
      default: {
        std::vector<std::pair<xla::ShapeIndex, std::pair<int64_t, xla::ShapeIndex>>> aliases;
        if (Pick(2) == 0) aliases.push_back({{0}, {0, {0}}});
        if (Pick(2) == 0) aliases.push_back({{1}, {1, {}}});
        const XlaOp pair = xla::CustomCall(&builder_, "Mix", {xla::Tuple(&builder_, {a, b}), c},
                                           xla::ShapeUtil::MakeTupleShape({S32s(), S32s()}), "",
                                           Pick(4) == 0, aliases);
        if (Pick(4) > 0) {
          Add(xla::GetTupleElement(pair, 0),
              Each(a_value, b_value, [](uint32_t x, uint32_t y) { return x * 3 + y; }));
        }
        if (Pick(4) > 0) {
          Add(xla::GetTupleElement(pair, 1),
              Each(b_value, c_value, [](uint32_t x, uint32_t y) { return x - y; }));
        }
      }
    }
  }

  std::mt19937 random_;
  XlaBuilder builder_;
  std::vector<Known> known_;
  std::vector<Ints> parameters_;
  std::vector<Ints> expected_;
};

TEST(ExecutableTest, RandomModulesLoseNoValue) {
  for (int seed = 0; seed < 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomModule(seed).Check();
  }
}

TEST(ExecutableTest, IndependentCallsRunAtOnce) {
  XlaBuilder builder("threads");
  std::vector<XlaOp> results;
  for (int i = 0; i < 3; ++i) results.push_back(Call(builder, "Meet", {Constant(builder, 3)}));
  xla::Tuple(&builder, results);
  meeting = 0;
  const absl::Status status = RunModule(Module(builder), {}, 3).status();
  EXPECT_TRUE(status.ok()) << status;
}

TEST(ExecutableTest, OnlyTheCallersThreadTakesSignals) {
  XlaBuilder builder("signals");
  std::vector<XlaOp> results;
  for (int i = 0; i < 3; ++i) {
    results.push_back(Call(builder, "MeetAndTellSignals", {Constant(builder, 3)}));
  }
  xla::Tuple(&builder, results);
  meeting = 0;
  const std::vector<Ints> told = RunModule(Module(builder), {}, 3).value();
  EXPECT_EQ(told[0][0] + told[1][0] + told[2][0], 1);
}

TEST(ExecutableTest, ARunEndsWhereATargetEndsItsThread) {
  XlaBuilder builder("ends");
  xla::Tuple(&builder, {Call(builder, "MeetAndEndThread", {Constant(builder, 2)}),
                        Call(builder, "MeetAndEndThread", {Constant(builder, 2)})});
  absl::StatusOr<std::unique_ptr<Executable>> executable = Compile(Module(builder), 2);
  ASSERT_TRUE(executable.ok()) << executable.status();
  for (bool the_callers : {true, false}) {
    ends_the_callers = the_callers;
    meeting = 0;
    absl::Status status;
    bool came_back = false;
    std::thread caller([&] {
      is_the_callers = true;
      status = Execute(**executable, {}).status();
      came_back = true;
    });
    caller.join();
    EXPECT_EQ(came_back, !the_callers);
    if (came_back) {
      EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
    }
  }
}

TEST(ExecutableTest, NothingIsOverwrittenWhileOthersReadIt) {
  XlaBuilder builder("late");
  const XlaOp x = xla::Parameter(&builder, 0, S32s(), "x");
  const XlaOp twice = x + x;
  const XlaOp read = Call(builder, "ReadLate", {twice});
  const XlaOp written =
      xla::CustomCall(&builder, "InPlace", {twice}, S32s(), "", false, {{{}, {0, {}}}});
  xla::Tuple(&builder, {read, written});
  EXPECT_THAT(RunModule(Module(builder), {{1, 2, 3, 4}}, 2).value(),
              ElementsAre(Ints{2, 4, 6, 8}, Ints{3, 5, 7, 9}));
}

TEST(ExecutableTest, OneExecutableRunsOnManyThreads) {
  for (int threads : {1, 2}) {
    XlaBuilder builder("reentrant");
    XlaOp x = xla::Parameter(&builder, 0, S32s(), "x");
    for (int i = 0; i < 10; ++i) {
      x = xla::CustomCall(&builder, "InPlace", {x + x}, S32s(), "", false, {{{}, {0, {}}}});
    }
    absl::StatusOr<std::unique_ptr<Executable>> executable = Compile(Module(builder), threads);
    ASSERT_TRUE(executable.ok()) << executable.status();
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t) {
      callers.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          const Ints expected(kSize, t * 1024 + 1023);
          absl::StatusOr<std::vector<Ints>> results = Execute(**executable, {Ints(kSize, t)});
          if (!results.ok() || results->at(0) != expected) ++wrong;
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST(ExecutableTest, TypedCallsOfUntypedTargetsPassTheirEntryPoints) {
  XlaBuilder builder("typed");
  Call(builder, "Increment", {Constant(builder, 1)}, false, xla::API_VERSION_TYPED_FFI);
  absl::StatusOr<std::vector<Ints>> results = RunModule(Module(builder));
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(*results, ElementsAre(Ints{2, 3, 4, 5}));
}

TEST(ExecutableTest, TheVersionSaysWhichOfTwoTargetsOfOneNameIsCalled) {
  const auto called = [](int version, const std::string& opaque) {
    XlaBuilder builder("twins");
    Call(builder, "Twin", {}, false, static_cast<xla::CustomCallApiVersion>(version),
         xla::SCHEDULE_NONE, opaque);
    absl::StatusOr<std::vector<Ints>> results = RunModule(Module(builder));
    EXPECT_TRUE(results.ok()) << results.status();
    return results.ok() ? results->front().front() : 0;
  };
  for (int version : {0, 1, 2}) EXPECT_EQ(called(version, ""), -7) << version;
  EXPECT_EQ(called(4, "{n = 5 : i32}"), 5);
  // What an untyped call with an opaque is upgraded to.
  XlaBuilder builder("upgraded");
  Call(builder, "Twin", {}, false, xla::API_VERSION_STATUS_RETURNING, xla::SCHEDULE_NONE, "abc");
  absl::StatusOr<xla::HloModuleProto> upgraded = hlo::Upgrade(Module(builder));
  ASSERT_TRUE(upgraded.ok()) << upgraded.status();
  EXPECT_EQ(RunModule(*upgraded).value().front().front(), -7);
}

// ---- Errors -------------------------------------------------------------------------------------

TEST(ExecutableErrorsTest, WhatIsNotThere) {
  XlaBuilder builder("missing");
  Call(builder, "Missing", {});
  const absl::Status missing = Compile(Module(builder)).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()),
              testing::AllOf(HasSubstr("\"Missing\""), HasSubstr("\"Increment\" for Host")));

  XlaBuilder unknown("unknown");
  Constant(unknown, 1);
  xla::HloModuleProto module = Module(unknown);
  Find(module, "constant", 0).set_opcode("cosine");
  const absl::Status status = Compile(module).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr("cosine"), HasSubstr("run the module on XLA")));
}

TEST(ExecutableErrorsTest, AttributesOfUntypedTargets) {
  XlaBuilder builder("attributes");
  Call(builder, "Increment", {Constant(builder, 1)}, false, xla::API_VERSION_TYPED_FFI,
       xla::SCHEDULE_NONE, "{scale = 3 : i32}");
  const absl::Status status = RunModule(Module(builder)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr("\"Increment\" is untyped"), HasSubstr("(scale)")));
}

TEST(ExecutableErrorsTest, AliasesThatExcludeEachOther) {
  XlaBuilder builder("alias");
  const XlaOp x = Constant(builder, 1);
  xla::CustomCall(&builder, "Mix", {xla::Tuple(&builder, {x, x}), x},
                  xla::ShapeUtil::MakeTupleShape({S32s(), S32s()}), "", false,
                  {{{0}, {1, {}}}, {{1}, {0, {0}}}});
  xla::HloModuleProto module = Module(builder);
  auto& aliases = *Find(module, "custom-call", 0).mutable_output_operand_aliasing();
  aliases[1] = aliases[0];
  EXPECT_EQ(Compile(module).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ExecutableErrorsTest, AliasesOfDifferentLayouts) {
  const auto compile = [](const char* operand, const char* result) {
    const std::string text = absl::StrCat(
        "HloModule m\nENTRY e {\n  p = s32[2,1,2]{2,1,0} parameter(0)\n  c = s32[2,1,2]{", result,
        "} custom-call(p), custom_call_target=\"Mix\", operand_layout_constraints={s32[2,1,2]{",
        operand, "}}, output_to_operand_aliasing={{}: (0, {})}\n",
        "  ROOT r = s32[2,1,2]{2,1,0} copy(c)\n}\n");
    const absl::StatusOr<xla::HloModuleProto> module = hlo::ParseHloText(text);
    return module.ok() ? Compile(*module).status() : module.status();
  };
  EXPECT_EQ(compile("0,1,2", "0,1,2"), absl::OkStatus());
  EXPECT_EQ(compile("2,1,0", "2,1,0"), absl::OkStatus());
  for (const char* result : {"2,1,0", "1,0,2"}) {
    const absl::Status status = compile("0,1,2", result);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("expected equal layouts"));
  }
}

// Each computation calls the one before it `calls` times.
xla::HloModuleProto Tower(int height, int calls_each) {
  XlaBuilder builder("tower");
  xla::Parameter(&builder, 0, S32s(), "x");
  xla::HloModuleProto module = Module(builder);
  for (int level = 1; level <= height; ++level) {
    xla::HloComputationProto next = module.computations(level - 1);
    const int64_t base = level * int64_t{100};
    next.set_id(base);
    next.clear_instructions();
    *next.add_instructions() = module.computations(0).instructions(0);
    next.mutable_instructions(0)->set_id(base);
    for (int call = 1; call <= calls_each; ++call) {
      xla::HloInstructionProto& instruction = *next.add_instructions();
      instruction.set_name("call");
      instruction.set_opcode("call");
      *instruction.mutable_shape() = next.instructions(0).shape();
      instruction.set_id(base + call);
      instruction.add_operand_ids(base + call - 1);
      instruction.add_called_computation_ids(module.computations(level - 1).id());
    }
    next.set_root_id(base + calls_each);
    *module.add_computations() = next;
    module.set_entry_computation_id(base);
  }
  return module;
}

TEST(ExecutableErrorsTest, ModulesThatSayTooMuch) {
  EXPECT_TRUE(Compile(Tower(10, 2)).ok()) << Compile(Tower(10, 2)).status();
  EXPECT_EQ(Compile(Tower(90, 2)).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Compile(Tower(5000, 1)).status().code(), absl::StatusCode::kResourceExhausted);

  XlaBuilder builder("large");
  const XlaOp large = xla::Broadcast(xla::ConstantR0<int8_t>(&builder, 1), {int64_t{1} << 50});
  xla::CustomCall(&builder, "Increment", {large}, S32s());
  absl::StatusOr<std::unique_ptr<Executable>> executable = Compile(Module(builder));
  ASSERT_TRUE(executable.ok()) << executable.status();
  EXPECT_EQ(Execute(**executable, {}).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(ExecutableErrorsTest, ArraysOfOtherSizes) {
  XlaBuilder builder("sizes");
  xla::Parameter(&builder, 0, S32s(), "x");
  absl::StatusOr<std::unique_ptr<Executable>> executable = Compile(Module(builder));
  ASSERT_TRUE(executable.ok()) << executable.status();
  const absl::Status wrong = Execute(**executable, {Ints(3)}).status();
  EXPECT_EQ(wrong.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(wrong.message()),
              testing::AllOf(HasSubstr("s32[4]"), HasSubstr("16 bytes"), HasSubstr("12")));
  EXPECT_EQ(Execute(**executable, {}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace callbridge::client
