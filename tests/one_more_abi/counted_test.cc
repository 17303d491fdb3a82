// An ABI that stands in a folder of its own (target_abi.h, target_call.h), in a build that lists
// it: seen by its type, called by the embedded runtime, the C API and both entry points.
#define CALLBRIDGE_MORE_ABIS "tests/one_more_abi/target_abi.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "callbridge/abi/shape_text.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/adapters/executor.h"
#include "callbridge/adapters/function_abi.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/callbridge.h"
#include "callbridge/loader/custom_call_function.h"
#include "callbridge/loader/registered_targets.h"
#include "callbridge/loader/verdict.h"
#include "callbridge/register.h"
#include "callbridge/status_returning/custom_call_status_internal.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"

namespace callbridge {
namespace {

using ::testing::HasSubstr;

constexpr auto kCounted = static_cast<ApiVersion>(100);

// Not 100, of the ordinary build.
static_assert(FunctionAbi<int(void**, int64_t)>::kVersions.host == 100);
static_assert(FunctionAbi<int(void**, int64_t)>::kVersions.gpu == 0);
static_assert(FunctionAbi<void(void**, int64_t)>::kVersions.host == 0);
static_assert(FunctionAbi<void(void*, const void**)>::kVersions.host == 1);

// The sum of all numbers before the last one, into that; the count, where there is no other.
int Sum(void** buffers, int64_t count) {
  int32_t sum = static_cast<int32_t>(count == 1);
  for (int64_t i = 0; i + 1 < count; ++i) sum += *static_cast<int32_t*>(buffers[i]);
  *static_cast<int32_t*>(buffers[count - 1]) = sum;
  return 0;
}
int Fail(void**, int64_t) { return 7; }
int Throw(void**, int64_t) { throw std::runtime_error("out of luck"); }

Target MakeTarget(int (*function)(void**, int64_t)) {
  return {"counted", Platform::kHost, kCounted, false, reinterpret_cast<void*>(function)};
}

CallSite Site(const std::vector<const char*>& operands) {
  CallSite site;
  for (const char* operand : operands) site.operands.push_back(*ParseShape(operand));
  site.result = *ParseShape("s32[]");
  return site;
}

// ---- What is derived of the row ----

TEST(CountedAbiTest, HasItsNameAndNumber) {
  EXPECT_EQ(ApiVersionName(kCounted), "counted");
  EXPECT_EQ(ParseApiVersion("counted").value(), kCounted);
  EXPECT_EQ(TargetAbiNames(),
            "original, status_returning, status_returning_unified, typed_ffi or counted");
  EXPECT_EQ(ApiVersionNumbers(), "0 to 4, 100");
  EXPECT_THAT(std::string(ParseApiVersion("x").status().message()), HasSubstr(", counted"));
}

TEST(CountedAbiTest, IsSeenInSymbols) {
  FileSymbol symbol;
  symbol.name = "_ZN2my3sumEPPvl";
  symbol.is_function = symbol.is_defined = true;
  const std::optional<CustomCallFunction> function = AsCustomCall(symbol);
  ASSERT_TRUE(function.has_value());
  EXPECT_EQ(function->name, "my::sum(void**, long)");
  EXPECT_EQ(function->on_host, kCounted);
  EXPECT_EQ(function->on_gpu, ApiVersion::kUnspecified);
  EXPECT_EQ(AbiText(*function), "counted on Host");
  symbol.name = "_Z3sumPPvi";
  EXPECT_FALSE(AsCustomCall(symbol).has_value());
}

TEST(CountedAbiTest, IsRegisteredWithItsType) {
  const xla::RegisterCustomCallTarget sum("counted_test.sum", &Sum, "Host");
  for (const LibraryTarget& target : ProcessTargets()) {
    if (target.registered.name != "counted_test.sum") continue;
    EXPECT_EQ(target.api_version, kCounted);
    EXPECT_EQ(target.evidence, "registered with its type");
    return;
  }
  FAIL() << "not registered";
}

// ---- Calls ----

absl::Status ExecuteOn(const Target& target, const std::vector<const char*>& operands,
                       std::vector<int32_t> numbers, int32_t& result) {
  std::vector<HostArray> arrays;
  for (int32_t& number : numbers) arrays.push_back({&number, sizeof(number)});
  const HostArray out = {&result, sizeof(result)};
  return Execute(Site(operands), target, arrays, {&out, 1});
}

TEST(CountedAbiTest, IsCalledByTheEmbeddedRuntime) {
  int32_t result = 0;
  ASSERT_TRUE(ExecuteOn(MakeTarget(&Sum), {"s32[]", "s32[]"}, {40, 2}, result).ok());
  EXPECT_EQ(result, 42);
  ASSERT_TRUE(ExecuteOn(MakeTarget(&Sum), {}, {}, result).ok());
  EXPECT_EQ(result, 1);
  // Leaves alone.
  ASSERT_TRUE(
      ExecuteOn(MakeTarget(&Sum), {"(s32[],(s32[]),())", "s32[]"}, {1, 10, 100}, result).ok());
  EXPECT_EQ(result, 111);
  // More than lie on the stack.
  ASSERT_TRUE(ExecuteOn(MakeTarget(&Sum), std::vector<const char*>(1000, "s32[]"),
                        std::vector<int32_t>(1000, 3), result)
                  .ok());
  EXPECT_EQ(result, 3000);
}

TEST(CountedAbiTest, ReportsFailures) {
  int32_t result = 0;
  EXPECT_EQ(ExecuteOn(MakeTarget(&Fail), {}, {}, result),
            absl::InternalError("CustomCall failed: the function returned 7"));
  EXPECT_EQ(
      ExecuteOn(MakeTarget(&Throw), {}, {}, result),
      absl::InternalError("CustomCall failed: the target threw std::runtime_error: out of luck"));
}

TEST(CountedAbiTest, IsNotOnGpu) {
  Target target = MakeTarget(&Sum);
  target.platform = Platform::kCuda;
  CallSite site = Site({});
  site.platform = Platform::kCuda;
  EXPECT_EQ(
      Bind(site, target).status(),
      absl::InvalidArgumentError("custom call \"counted\" on CUDA is declared counted, an ABI "
                                 "that CUDA does not have; it has original, status_returning "
                                 "or status_returning_unified"));
  EXPECT_FALSE(GetEntryPoints(target).ok());
}

TEST(CountedAbiTest, MustBeDeclaredWhereItIsNotKnown) {
  Target target = MakeTarget(&Sum);
  target.api_version = ApiVersion::kUnspecified;
  EXPECT_THAT(std::string(Bind(Site({}), target).status().message()),
              HasSubstr("declare it (original, status_returning, status_returning_unified or "
                        "counted)"));
}

TEST(CountedAbiTest, IsCalledByTheCApi) {
  callbridge_target target = {};
  target.struct_size = sizeof(target);
  target.name = "counted";
  target.platform = "Host";
  target.api_version = 100;
  target.address = reinterpret_cast<void*>(&Sum);
  const char* const operands[] = {"s32[]", "s32[]"};
  callbridge_site site = {};
  site.struct_size = sizeof(site);
  site.operands = operands;
  site.operand_count = 2;
  site.result = "s32[]";
  int32_t numbers[] = {40, 2};
  int32_t sum = 0;
  const callbridge_array arrays[] = {{&numbers[0], 4}, {&numbers[1], 4}};
  const callbridge_array out = {&sum, 4};
  EXPECT_EQ(ErrorText(callbridge_execute(&target, &site, arrays, 2, &out, 1, nullptr)), "OK");
  EXPECT_EQ(sum, 42);
  target.api_version = 101;
  EXPECT_EQ(
      ErrorText(callbridge_execute(&target, &site, arrays, 2, &out, 1, nullptr)),
      "INVALID_ARGUMENT: callbridge_target.api_version is 101, but must be one of 0 to 4, 100");
}

TEST(CountedAbiTest, IsEnumeratedByTheCApi) {
  ASSERT_EQ(callbridge_target_abi_count(), 5U);
  callbridge_target_abi abi = {};
  abi.struct_size = sizeof(abi);
  ASSERT_EQ(ErrorText(callbridge_target_abi_at(4, "cpu", &abi)), "OK");
  EXPECT_EQ(abi.api_version, 100);
  EXPECT_EQ(abi.called_as, 100);
  EXPECT_EQ(abi.provides, uint32_t{CALLBRIDGE_PROVIDES_COUNTS});
  EXPECT_STREQ(abi.name, "counted");
  ASSERT_EQ(ErrorText(callbridge_target_abi_at(4, "ROCM", &abi)), "OK");
  EXPECT_EQ(abi.called_as, 0);
  EXPECT_EQ(abi.provides, 0U);
}

// As a runtime calls version 3. "OK", or what the status has then.
std::string CallUntyped(const Target& target, const std::string& opaque, void* out, void** in) {
  const absl::StatusOr<EntryPoints> points = GetEntryPoints(target);
  EXPECT_TRUE(points.ok()) << points.status();
  XlaCustomCallStatus_ status;
  reinterpret_cast<void (*)(void*, void**, const char*, size_t, XlaCustomCallStatus*)>(
      points->untyped)(out, in, opaque.data(), opaque.size(), &status);
  return status.message.value_or("OK");
}

TEST(CountedAbiTest, IsCalledByVersionThreeWithADescriptor) {
  int32_t numbers[] = {40, 2};
  void* in[] = {&numbers[0], &numbers[1]};
  int32_t sum = 0;
  const std::string descriptor = EncodeSiteDescriptor(Site({"s32[]", "s32[]"}));
  EXPECT_EQ(CallUntyped(MakeTarget(&Sum), descriptor, &sum, in), "OK");
  EXPECT_EQ(sum, 42);
  EXPECT_EQ(CallUntyped(MakeTarget(&Fail), descriptor, &sum, in),
            "CustomCall failed: the function returned 7");
  sum = 0;
  EXPECT_THAT(CallUntyped(MakeTarget(&Sum), "", &sum, in),
              HasSubstr("must describe the call site"));
  EXPECT_EQ(sum, 0) << "not called";
}

}  // namespace
}  // namespace callbridge
