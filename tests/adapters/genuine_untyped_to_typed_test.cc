// Handlers built with XLA's headers of each version, called through version 3.
#include <array>
#include <atomic>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/cross_version_handlers.h"
#include "tests/adapters/version_three_calls.h"
#include "tests/built_releases.h"

namespace callbridge {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

class GenuineTypedTargetEntryTest : public CrossVersionHandlersTest<std::string> {
 protected:
  void SetUp() override {
    Load(GetParam());
    std::iota(operand_.begin(), operand_.end(), 0.0F);
  }

  std::string CallTarget(const Target& target, const CallSite& site) {
    result_.fill(-1);
    std::vector<void*> pointers(site.operands.size(), operand_.data());
    return Call(target, result_.data(), pointers.data(), Descriptor(site));
  }
  std::string CallNamed(const std::string& name, const CallSite& site) {
    return CallTarget(TypedTarget(Find<XLA_FFI_Handler>(name)), site);
  }

  Floats operand_;
  Floats result_;
};

TEST_P(GenuineTypedTargetEntryTest, GetsBuffersAndAttributes) {
  ASSERT_EQ(CallNamed("add", FloatSite(2)), "OK");
  EXPECT_EQ(result_[3], 6);
  ASSERT_EQ(CallNamed("variadic", FloatSite(3)), "OK");
  EXPECT_EQ(result_[3], 9);
  ASSERT_EQ(CallNamed("no_argument", FloatSite(0)), "OK");
  EXPECT_THAT(result_, Each(42));
  const float two = 2;
  const std::array<int32_t, 3> shifts = {1, 2, 3};
  Attributes attributes;
  attributes.SetScalar("factor", PrimitiveType::kF32, &two)
      .SetString("text", "four")
      .SetArray("shifts", PrimitiveType::kS32, shifts.data(), shifts.size());
  ASSERT_EQ(CallNamed("attribute", FloatSite(1, attributes)), "OK");
  EXPECT_EQ(result_[3], 16);
  attributes.SetString("text", "other");
  ASSERT_EQ(CallNamed("attribute", FloatSite(1, attributes)), "OK");
  EXPECT_EQ(result_[3], 17);
  Attributes dictionary = Scalar("y", 3);
  dictionary.SetScalar("x", PrimitiveType::kF32, &two);
  ASSERT_EQ(CallNamed("dictionary", FloatSite(0, dictionary)), "OK");
  EXPECT_THAT(result_, Each(5));
}

TEST_P(GenuineTypedTargetEntryTest, FailsAsItSays) {
  EXPECT_EQ(CallNamed("error", FloatSite(1)), "FAILED_PRECONDITION: told to fail");
  EXPECT_THAT(CallNamed("error", FloatSite(2)),
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("Wrong number of arguments")));
  EXPECT_THAT(CallNamed("error", Site({"s32[8]"}, "f32[8]")), StartsWith("INVALID_ARGUMENT: "));
  EXPECT_THAT(CallNamed("throwing", FloatSite(1)),
              AllOf(StartsWith("INTERNAL: "), HasSubstr("thrown")));
}

TEST_P(GenuineTypedTargetEntryTest, KeepsOneStateASite) {
  if (!Has("state_execute")) GTEST_SKIP() << "the headers have no state";
  auto* live = Find<int()>("count_live_states");
  const Target target = TypedTarget(Find<XLA_FFI_Handler>("state_execute"),
                                    Find<XLA_FFI_Handler>("state_instantiate"));
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(CallTarget(target, FloatSite(0, Scalar("start", 10))), "OK");
    EXPECT_THAT(result_, Each(10 + i));
    ASSERT_EQ(CallTarget(target, FloatSite(0, Scalar("start", 20))), "OK");
    EXPECT_THAT(result_, Each(20 + i));
  }
  EXPECT_EQ(live(), 2);
  EXPECT_THAT(CallTarget(target, FloatSite(0)),
              AllOf(StartsWith("INVALID_ARGUMENT: "), HasSubstr("ttribute")));
  EXPECT_EQ(live(), 2);
}

TEST_P(GenuineTypedTargetEntryTest, IsWaitedFor) {
  if (!Has("future")) GTEST_SKIP() << "the headers have no futures";
  for (int32_t mode : {0, 2}) {
    ASSERT_EQ(CallNamed("future", FloatSite(1, Scalar("mode", mode))), "OK");
    EXPECT_EQ(result_, operand_);
  }
  for (int32_t mode : {1, 3}) {
    EXPECT_EQ(CallNamed("future", FloatSite(1, Scalar("mode", mode))),
              "ABORTED: told to fail later");
  }
}

TEST_P(GenuineTypedTargetEntryTest, WhatCannotBeLentIsUnimplementedByName) {
  const struct {
    const char* handler;
    size_t operands;
    const char* missing;
  } kCases[] = {{"scratch", 1, "No device memory allocator available"},
                {"user_data", 0, "user data is not available"},
                {"run_id", 0, "run id is not available"},
                {"device_ordinal", 0, "device ordinal is not available"}};
  int found = 0;
  for (const auto& c : kCases) {
    if (!Has(c.handler)) continue;
    ++found;
    EXPECT_THAT(CallNamed(c.handler, FloatSite(c.operands)),
                AllOf(StartsWith("UNIMPLEMENTED: "), HasSubstr(c.missing),
                      HasSubstr("by custom-call version 3")));
  }
  EXPECT_GE(found, 2);
}

// As on every runtime without threads: XLA's headers do it.
TEST_P(GenuineTypedTargetEntryTest, TasksRunOnTheThreadThatSchedulesThem) {
  if (!Has("thread_pool")) GTEST_SKIP() << "the headers have no thread pool";
  for (const char* name : {"thread_pool", "thread_pool_later"}) {
    ASSERT_EQ(CallNamed(name, FloatSite(1)), "OK");
    EXPECT_EQ(result_, operand_);
  }
  if (!Has("num_threads")) return;
  ASSERT_EQ(CallNamed("num_threads", FloatSite(0)), "OK");
  EXPECT_THAT(result_, Each(0));
}

TEST_P(GenuineTypedTargetEntryTest, SixteenThreadsShareASite) {
  const Target target = TypedTarget(Find<XLA_FFI_Handler>("add"));
  const std::string descriptor = Descriptor(FloatSite(2));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      Floats a, sum;
      a.fill(static_cast<float>(t));
      for (int i = 0; i < 100; ++i) {
        void* pointers[] = {a.data(), a.data()};
        sum.fill(-1);
        if (Call(target, sum.data(), pointers, descriptor) != "OK" || sum[7] != a[7] * 2) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Headers, GenuineTypedTargetEntryTest, testing::ValuesIn(BuiltReleases()),
                         [](const auto& info) { return WithoutDots(info.param); });

}  // namespace
}  // namespace callbridge
