// Call sites that are bound while others call them, and by their own handlers.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "callbridge/adapters/entry_points/untyped_to_typed.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/version_three_calls.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge {
namespace {

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;

// What INSTANTIATE does, and with which error it ends.
std::function<ffi::Error(int32_t site)> instantiate;
ffi::Error Instantiate(int32_t site) {
  return instantiate ? instantiate(site) : ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kInstantiate, Instantiate,
                       ffi::Ffi::Bind<ffi::ExecutionStage::kInstantiate>().Attr<int32_t>("site"));

ffi::Error Execute(ffi::Result<F32> result, int32_t site) {
  *result->typed_data() = static_cast<float>(site);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kExecute, Execute, ffi::Ffi::Bind().Ret<F32>().Attr<int32_t>("site"));

class TypedTargetSitesTest : public testing::Test {
 protected:
  ~TypedTargetSitesTest() override { instantiate = nullptr; }

  // "OK", or what the status has then.
  std::string CallSiteNumber(int32_t site) {
    const std::string descriptor = Descriptor(Site({}, "f32[]", Scalar("site", site)));
    float result = -1;
    XlaCustomCallStatus status;
    entry_.Call(&result, nullptr, descriptor.data(), descriptor.size(), &status);
    if (!status.message.has_value()) {
      EXPECT_EQ(result, static_cast<float>(site));
    }
    return status.message.value_or("OK");
  }

  UntypedToTypedEntry entry_{TypedTarget(kExecute, kInstantiate)};
};

constexpr char kCallsItself[] =
    "FAILED_PRECONDITION: custom call \"typed\": INSTANTIATE calls its own call site, which cannot "
    "be called before INSTANTIATE has returned";

TEST_F(TypedTargetSitesTest, AnInstantiateThatCallsItsOwnSiteGetsAnError) {
  std::string inner;
  instantiate = [&](int32_t site) {
    inner = CallSiteNumber(site);
    return ffi::Error::Success();
  };
  EXPECT_EQ(CallSiteNumber(1), "OK");
  EXPECT_EQ(inner, kCallsItself);
  // It was bound all the same.
  inner.clear();
  EXPECT_EQ(CallSiteNumber(1), "OK");
  EXPECT_EQ(inner, "");
}

TEST_F(TypedTargetSitesTest, SoDoesOneThatCallsItByAnother) {
  std::string inner;
  instantiate = [&](int32_t site) {
    const std::string other = CallSiteNumber(3 - site);
    if (site == 2) inner = other;
    return ffi::Error::Success();
  };
  EXPECT_EQ(CallSiteNumber(1), "OK");
  EXPECT_EQ(inner, kCallsItself);
  EXPECT_EQ(CallSiteNumber(2), "OK");
}

TEST_F(TypedTargetSitesTest, WhatFailedSoIsTriedAgain) {
  instantiate = [&](int32_t site) { return ffi::Error::Internal(CallSiteNumber(site)); };
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(CallSiteNumber(1), std::string("INTERNAL: ") + kCallsItself);
  instantiate = nullptr;
  EXPECT_EQ(CallSiteNumber(1), "OK");
}

TEST_F(TypedTargetSitesTest, AnotherThreadWaitsAllTheSame) {
  std::thread another;
  std::string inner, of_another;
  std::atomic<int> instantiated{0};
  instantiate = [&](int32_t site) {
    ++instantiated;
    another = std::thread([&, site] { of_another = CallSiteNumber(site); });
    inner = CallSiteNumber(site);
    return ffi::Error::Success();
  };
  EXPECT_EQ(CallSiteNumber(1), "OK");
  another.join();
  EXPECT_EQ(inner, kCallsItself);
  EXPECT_EQ(of_another, "OK");
  EXPECT_EQ(instantiated, 1);
}

TEST(TypedTargetEntryTest, KeepsAsManySitesAsTheDocumentationSays) {
  EXPECT_EQ(UntypedToTypedEntry::kMostSites, 32768U);
}

}  // namespace
}  // namespace callbridge
