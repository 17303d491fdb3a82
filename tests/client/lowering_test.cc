// What becomes of modules that are run: limits, errors with the names in them, and what calls are
// provided. executable_test.cc has order and memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "callbridge/client/executable.h"
#include "callbridge/client/graph_builder.h"
#include "callbridge/client/target_table.h"
#include "callbridge/hlo/hlo_text.h"
#include "callbridge/register.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge::client {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

void Seven(void* out, const void**) { *static_cast<int32_t*>(out) = 7; }
XLA_REGISTER_CUSTOM_CALL_TARGET(Seven, "Host");

void FailAlways(void*, const void**, XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "always", 6);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(FailAlways, "Host");

// The number of bytes of the opaque, and the first one.
void OpaqueSize(void* out, const void**, const char* opaque, size_t size, XlaCustomCallStatus*) {
  *static_cast<int32_t*>(out) = static_cast<int32_t>(size) * 256 + (size == 0 ? 0 : opaque[0]);
}
XLA_REGISTER_CUSTOM_CALL_TARGET(OpaqueSize, "Host");

std::string call_log;
void LogNothing(void*, const void**) { call_log += 'n'; }
XLA_REGISTER_CUSTOM_CALL_TARGET(LogNothing, "Host");
void LogNumber(void* out, const void**) {
  call_log += '1';
  *static_cast<int32_t*>(out) = 1;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(LogNumber, "Host");

// Whether operand and result lie where XLA aligns its buffers to.
void IsAligned(void* out, const void** in) {
  const uintptr_t places = reinterpret_cast<uintptr_t>(out) | reinterpret_cast<uintptr_t>(in[0]);
  *static_cast<int32_t*>(out) = places % 64 == 0 ? 1 : 0;
}
XLA_REGISTER_CUSTOM_CALL_TARGET(IsAligned, "Host");

xla::ffi::Error TypedServices(int32_t device, xla::ffi::ThreadPool threads,
                              xla::ffi::ResultBuffer<xla::ffi::S32> out) {
  *out->typed_data() = device * 1000 + (threads.num_threads() > 0 ? 1 : 0);
  return xla::ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kTypedServices, TypedServices,
                       xla::ffi::Ffi::Bind()
                           .Ctx<xla::ffi::DeviceOrdinal>()
                           .Ctx<xla::ffi::ThreadPool>()
                           .Ret<xla::ffi::Buffer<xla::ffi::S32>>());
XLA_FFI_REGISTER_HANDLER(callbridge_xla_ffi_api(), "TypedServices", "Host", kTypedServices);

xla::ffi::Error TypedFail(xla::ffi::RemainingRets) {
  return xla::ffi::Error::Internal("typed failure");
}
XLA_FFI_DEFINE_HANDLER(kTypedFail, TypedFail, xla::ffi::Ffi::Bind().RemainingRets());
XLA_FFI_REGISTER_HANDLER(callbridge_xla_ffi_api(), "TypedFail", "Host", kTypedFail);

absl::StatusOr<std::unique_ptr<Executable>> CompileText(const std::string& computations,
                                                        int threads = 1) {
  absl::StatusOr<xla::HloModuleProto> module = hlo::ReadModule("HloModule m\n" + computations);
  if (!module.ok()) return module.status();
  absl::StatusOr<TargetTable> targets = TargetTable::OfProcess();
  if (!targets.ok()) return targets.status();
  return Executable::Compile(*module, *targets, {threads});
}

// The entry's result, of so many s32[].
absl::StatusOr<std::vector<int32_t>> RunText(const std::string& lines, size_t results = 1,
                                             int threads = 1) {
  auto executable = CompileText("ENTRY e {\n" + lines + "\n}\n", threads);
  if (!executable.ok()) return executable.status();
  std::vector<int32_t> numbers(results, 0x5555);
  std::vector<callbridge_array> arrays;
  for (int32_t& number : numbers) arrays.push_back({&number, sizeof number});
  const absl::Status status = (*executable)->Execute({}, arrays);
  if (!status.ok()) return status;
  return numbers;
}

std::string Call(const std::string& target, const std::string& more = "") {
  return "ROOT the_call = s32[] custom-call(), custom_call_target=\"" + target + "\"" + more;
}

TEST(LoweringTest, CallsKnowTheirVersion) {
  const std::string version = ", api_version=API_VERSION_";
  EXPECT_THAT(*RunText(Call("Seven")), ElementsAre(7));
  EXPECT_THAT(*RunText(Call("Seven", version + "ORIGINAL")), ElementsAre(7));
  EXPECT_THAT(*RunText(Call("Seven", version + "TYPED_FFI")), ElementsAre(7));
  const std::string unified = version + "STATUS_RETURNING_UNIFIED, backend_config=";
  EXPECT_THAT(*RunText(Call("OpaqueSize", unified + "\"abc\"")), ElementsAre(3 * 256 + 'a'));
  EXPECT_THAT(*RunText(Call("OpaqueSize", unified + "\"\"")), ElementsAre(0));
}

TEST(LoweringTest, AnUntypedCallOfATypedHandlerIsRefused) {
  const struct {
    std::string version;
    int number;
  } kVersions[] = {{"", 1},
                   {", api_version=API_VERSION_STATUS_RETURNING", 2},
                   {", api_version=API_VERSION_STATUS_RETURNING_UNIFIED", 3}};
  for (const auto& each : kVersions) {
    const absl::Status status = RunText(Call("TypedServices", each.version)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_EQ(status.message(),
              absl::StrCat("the call is untyped (api_version ", each.number,
                           "), but the target is a typed handler; set API_VERSION_TYPED_FFI, and "
                           "pass attributes instead of the opaque (instruction \"the_call\", "
                           "target \"TypedServices\")"));
  }
}

TEST(LoweringTest, TypedHandlersAreLentWhatXlaLends) {
  EXPECT_THAT(*RunText(Call("TypedServices", ", api_version=API_VERSION_TYPED_FFI")),
              ElementsAre(1));
}

// Once, and where the call is within a computation too.
TEST(LoweringTest, ErrorsNameTheInstruction) {
  const std::string names = " (instruction \"the_call\", target \"";
  EXPECT_EQ(
      RunText(Call("FailAlways", ", api_version=API_VERSION_STATUS_RETURNING")).status().message(),
      "CustomCall failed: always" + names + "FailAlways\")");
  EXPECT_EQ(RunText(Call("TypedFail", ", api_version=API_VERSION_TYPED_FFI")).status().message(),
            "typed failure" + names + "TypedFail\")");
  const absl::Status attributes =
      RunText(Call("TypedFail", ", api_version=API_VERSION_TYPED_FFI, backend_config=\"{a\""))
          .status();
  EXPECT_THAT(std::string(attributes.message()), EndsWith(names + "TypedFail\")"));
  EXPECT_EQ(RunText("x = f8e5m2[] constant(1)\nROOT y = f8e5m2[] add(x, x)").status().message(),
            "the embedded runtime has no add of f8e5m2; run the module on XLA (instruction \"y\")");
  EXPECT_EQ(
      RunText("x = f8e5m2[] constant(1)\nROOT y = f32[] convert(x)").status().message(),
      "the embedded runtime does not convert f8e5m2 to f32; run the module on XLA (instruction "
      "\"y\")");
  const std::string nested = "inner {\n" + Call("Missing") +
                             "\n}\nENTRY e {\n  ROOT outer = s32[] call(), to_apply=inner\n}\n";
  EXPECT_THAT(std::string(CompileText(nested).status().message()),
              testing::AllOf(EndsWith(names + "Missing\")"), testing::Not(HasSubstr("outer"))));
}

// A chain of computations, each of which calls the one before.
std::string Chain(int length) {
  std::string text = "c1 {\n  ROOT r = s32[] constant(3)\n}\n";
  for (int i = 2; i < length; ++i) {
    absl::StrAppend(&text, "c", i, " {\n  ROOT r = s32[] call(), to_apply=c", i - 1, "\n}\n");
  }
  absl::StrAppend(&text, "ENTRY e {\n  ROOT r = s32[] call(), to_apply=c", length - 1, "\n}\n");
  return text;
}

TEST(LoweringTest, CallsAreNestedUpToTheDeepest) {
  EXPECT_TRUE(CompileText(Chain(100)).ok()) << CompileText(Chain(100)).status();
  const absl::Status status = CompileText(Chain(101)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("calls nested deeper than 100; run the module on XLA"));
}

TEST(GraphBuilderTest, ChargesUpToItsLimit) {
  constexpr size_t kMost = size_t{1} << 20;
  GraphBuilder builder;
  EXPECT_TRUE(builder.Charge(kMost - 1).ok());
  EXPECT_FALSE(builder.Charge(2).ok());
  EXPECT_TRUE(builder.Charge(1).ok()) << "what was refused is not charged";
  EXPECT_TRUE(builder.Charge(0).ok());
  const absl::Status status = builder.Charge(1);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("more than 1048576 instructions"));
  EXPECT_FALSE(builder.Charge(SIZE_MAX).ok());
}

// An instruction that stands behind others runs, and so do they, though nobody reads what they
// make. One without leaves is stood behind too.
TEST(LoweringTest, EffectsAndControlPredecessorsRunInOrder) {
  const std::string nothing = " = () custom-call(), custom_call_target=\"LogNothing\"";
  const std::string number = " = s32[] custom-call(), custom_call_target=\"LogNumber\"";
  const std::string root = "\nROOT r = s32[] constant(5)";
  const struct {
    std::string lines;
    const char* log;
  } kCases[] = {
      {"a" + nothing + root, ""},
      {"a" + nothing + ", custom_call_has_side_effect=true" + root, "n"},
      {"a" + nothing + "\nb" + number + ", control-predecessors={a}" + root, "n1"},
      {"a" + number + "\nb" + nothing + ", control-predecessors={a}" + root, "1n"},
      {"a" + nothing + ", schedule=SCHEDULE_LATEST\nb" + number +
           ", schedule=SCHEDULE_EARLIEST, control-predecessors={a}" + root,
       "n1"},
      {"a" + nothing + ", custom_call_has_side_effect=true, schedule=SCHEDULE_LATEST\nb" + number +
           ", custom_call_has_side_effect=true" + root,
       "1n"},
      {"a" + nothing + ", custom_call_has_side_effect=true\nb" + number +
           ", custom_call_has_side_effect=true, schedule=SCHEDULE_EARLIEST" + root,
       "1n"},
      {"a" + nothing + ", custom_call_has_side_effect=true\nb" + number +
           ", custom_call_has_side_effect=true" + root,
       "n1"},
  };
  for (const auto& each : kCases) {
    call_log.clear();
    const absl::StatusOr<std::vector<int32_t>> result = RunText(each.lines);
    ASSERT_TRUE(result.ok()) << each.lines << result.status();
    EXPECT_THAT(*result, ElementsAre(5));
    EXPECT_EQ(call_log, each.log) << each.lines;
  }
}

// Operands and results are the target's as XLA:CPU aligns them, whatever lies beside.
TEST(LoweringTest, WhatCallsMakeForEachOtherIsAligned) {
  EXPECT_THAT(*RunText("a = s8[3] constant({1, 2, 3})\n"
                       "b = s8[3] add(a, a)\n"
                       "x = s32[] custom-call(b), custom_call_target=\"IsAligned\"\n"
                       "c = s8[1] constant({1})\n"
                       "y = s32[] custom-call(c), custom_call_target=\"IsAligned\"\n"
                       "ROOT z = s32[] add(x, y)"),
              ElementsAre(2));
}

// One value as several results, parameters and constants as results, and a tuple in a tuple.
TEST(LoweringTest, ResultsLieWhereTheyAreWanted) {
  for (int threads : {1, 2}) {
    EXPECT_THAT(*RunText("a = s32[] constant(5)\n"
                         "b = s32[] add(a, a)\n"
                         "u = (s32[], s32[]) tuple(a, b)\n"
                         "t = (s32[], (s32[], s32[])) tuple(b, u)\n"
                         "ROOT r = ((s32[], (s32[], s32[])), s32[]) tuple(t, a)",
                         4, threads),
                ElementsAre(10, 5, 10, 5));
  }
}

TEST(LoweringTest, ANullArrayIsTakenWhereItNeedsNoBytes) {
  auto executable = CompileText(
      "ENTRY e {\n  x = s32[0] parameter(0)\n  y = s32[1] parameter(1)\n  u = token[] "
      "after-all()\n  "
      "ROOT t = (s32[0], s32[1], token[]) tuple(x, y, u)\n}\n");
  ASSERT_TRUE(executable.ok()) << executable.status();
  int32_t in = 4;
  int32_t out = 0;
  const callbridge_array none = {nullptr, 0};
  EXPECT_TRUE((*executable)->Execute({none, {&in, 4}}, {none, {&out, 4}, none}).ok());
  EXPECT_EQ(out, 4);
  EXPECT_EQ((*executable)->Execute({none, {nullptr, 4}}, {none, {&out, 4}, none}).message(),
            "parameter 1 (leaves of tuples counted): its array is null");
  EXPECT_EQ((*executable)->Execute({none, {&in, 4}}, {none, {nullptr, 4}, none}).message(),
            "result 1 (leaves of tuples counted): its array is null");
  EXPECT_FALSE((*executable)->Execute({none, {&in, 4}}, {none, {&out, 4}, {&out, 4}}).ok());
}

}  // namespace
}  // namespace callbridge::client
