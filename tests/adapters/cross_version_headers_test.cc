// Which headers a handler was built with, and when it is wrapped.
#include <array>
#include <set>
#include <string>
#include <utility>

#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/cross_version/headers.h"
#include "callbridge/adapters/entry_points/trampolines.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/imitated_headers.h"
#include "tests/typed_ffi/call_frame.h"
#include "tests/typed_ffi/fake_runtime.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge {
namespace {

using typed_ffi::kNewestVersion;
using typed_ffi::kRuntimeVersionCount;
using typed_ffi::kRuntimeVersions;
using typed_ffi::testing::FakeRuntime;
using typed_ffi::testing::TakeText;

namespace ffi = xla::ffi;
XLA_FFI_DEFINE_HANDLER(
    kAdapts, [] { return ffi::Error::Success(); }, ffi::Ffi::Bind());

XLA_FFI_Error* ByHand(XLA_FFI_CallFrame*) { return nullptr; }

template <int major, int minor>
XLA_FFI_Error* OfVersion(XLA_FFI_CallFrame* frame) {
  return imitated::Call(kNewestVersion, major, minor, frame);
}

class ForeignHeadersTest : public testing::Test {
 protected:
  ForeignHeadersTest() { imitated::says = {}; }
  ~ForeignHeadersTest() override {
    imitated::says = {};
    imitated::in_the_call = nullptr;
  }
};

// ---- Recognised

TEST_F(ForeignHeadersTest, EveryVersionIsRecognised) {
  for (int row = 0; row < kRuntimeVersionCount; ++row) {
    const auto headers = RecognizeHeaders(imitated::kHandlers[row]);
    ASSERT_TRUE(headers.ok()) << headers.status();
    EXPECT_EQ(headers->version, &kRuntimeVersions[imitated::RowTakenFor(row)]) << row;
    EXPECT_FALSE(headers->adapts) << row;
  }
  const auto adapts = RecognizeHeaders(kAdapts);
  ASSERT_TRUE(adapts.ok());
  EXPECT_TRUE(adapts->adapts);
  EXPECT_EQ(adapts->version, &kNewestVersion);
}

// Some handlers of published wheels crash where they format the text of an error.
TEST_F(ForeignHeadersTest, ThoseWithMetadataMakeNoError) {
  static bool made;
  made = false;
  const auto look = +[](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    XLA_FFI_Error* error = imitated::Call(kNewestVersion, 0, kNewestVersion.minor, frame);
    made = made || error != nullptr;
    return error;
  };
  ASSERT_TRUE(RecognizeHeaders(look).ok());
  EXPECT_FALSE(made);
}

TEST_F(ForeignHeadersTest, ThoseWithoutMetadataDoNotRunTheUsersCode) {
  imitated::in_the_call = [](XLA_FFI_CallFrame*) -> XLA_FFI_Error* {
    ADD_FAILURE() << "the question is taken for a call";
    return nullptr;
  };
  for (auto* handler : imitated::kHandlers) EXPECT_TRUE(RecognizeHeaders(handler).ok());
}

TEST_F(ForeignHeadersTest, OneThatNobodyKnowsIsUnimplemented) {
  constexpr int kNext = kNewestVersion.minor + 1;
  const std::string known = "; callbridge knows those up to 0." +
                            std::to_string(kNewestVersion.minor) + " (" + kNewestVersion.releases +
                            ")";
  const absl::Status newer = RecognizeHeaders(&OfVersion<0, kNext>).status();
  EXPECT_EQ(newer, absl::UnimplementedError("the handler was built with headers of XLA FFI 0." +
                                            std::to_string(kNext) + known));
  const absl::Status major = RecognizeHeaders(&OfVersion<1, 2>).status();
  EXPECT_EQ(major,
            absl::UnimplementedError("the handler was built with headers of XLA FFI 1.2" + known));
  EXPECT_EQ(RecognizeHeaders(&OfVersion<1, 0>).status(),
            absl::UnimplementedError("the handler was built with headers of XLA FFI 1.0" + known));
  EXPECT_EQ(GetCrossVersionWrapper(&OfVersion<0, kNext>, Platform::kHost).status(), newer);
  XLA_FFI_Handler_Bundle handlers = {};
  handlers.execute = &OfVersion<0, kNext>;
  EXPECT_EQ(AdaptHandlers(handlers, Platform::kHost, nullptr).status(), newer);
}

TEST_F(ForeignHeadersTest, OnesWrittenByHandAreNot) {
  const absl::Status status = RecognizeHeaders(&ByHand).status();
  EXPECT_EQ(status,
            absl::FailedPreconditionError(
                "the handler does not check its call frame's size as XLA's headers do: it "
                "was written by hand, and callbridge cannot tell which versions of XLA FFI it "
                "runs on"));
  EXPECT_EQ(GetCrossVersionWrapper(&ByHand, Platform::kHost).status(), status);
}

TEST_F(ForeignHeadersTest, WhatTheHandlerSaysOfItself) {
  imitated::in_the_call = [](XLA_FFI_CallFrame*) -> XLA_FFI_Error* {
    ADD_FAILURE() << "headers without metadata take the question for a call";
    return nullptr;
  };
  for (int row = 0; row < kRuntimeVersionCount; ++row) {
    const auto& headers = kRuntimeVersions[row];
    imitated::says = {7, {123}, false};
    ReportedMetadata metadata = ReadReportedMetadata(imitated::kHandlers[row], headers);
    const bool has_metadata = headers.metadata_size != 0;
    const bool has_type = headers.metadata_size == sizeof(XLA_FFI_Metadata);
    EXPECT_EQ(metadata.traits, has_metadata ? 7U : 0U) << row;
    EXPECT_EQ(metadata.state_type_id.type_id, has_type ? 123 : 0) << row;
    EXPECT_FALSE(metadata.type_is_missing) << row;
    imitated::says.type_is_missing = true;
    metadata = ReadReportedMetadata(imitated::kHandlers[row], headers);
    EXPECT_EQ(metadata.type_is_missing, has_type) << row;
  }
}

TEST_F(ForeignHeadersTest, TheTableTheyAreAskedWithIsWhole) {
  static int asked;
  asked = 0;
  const auto look = +[](XLA_FFI_CallFrame* frame) -> XLA_FFI_Error* {
    ++asked;
    EXPECT_GE(frame->api->struct_size, sizeof(XLA_FFI_Api));
    EXPECT_EQ(frame->api->extension_start, nullptr);
    return imitated::Call(kNewestVersion, 0, kNewestVersion.minor, frame);
  };
  ASSERT_TRUE(RecognizeHeaders(look).ok());
  EXPECT_GT(asked, 1);
}

// ---- Adapted

constexpr XLA_FFI_Handler* XLA_FFI_Handler_Bundle::*kStages[] = {
    &XLA_FFI_Handler_Bundle::instantiate, &XLA_FFI_Handler_Bundle::prepare,
    &XLA_FFI_Handler_Bundle::initialize, &XLA_FFI_Handler_Bundle::execute,
    &XLA_FFI_Handler_Bundle::record};

XLA_FFI_Handler_Bundle AllStages(XLA_FFI_Handler* handler) {
  return {handler, handler, handler, handler, handler};
}
XLA_FFI_Handler_Bundle Adapt(const XLA_FFI_Handler_Bundle& handlers,
                             const typed_ffi::RuntimeVersion* runtime,
                             Platform platform = Platform::kHost) {
  return AdaptHandlers(handlers, platform, runtime).value();
}

constexpr int kNewest = kRuntimeVersionCount - 1;

TEST_F(ForeignHeadersTest, HandlersThatRunAsTheyAreAreLeftAlone) {
  for (XLA_FFI_Handler* handler : {imitated::kHandlers[kNewest], +kAdapts, &ByHand}) {
    const XLA_FFI_Handler_Bundle adapted = Adapt(AllStages(handler), &kNewestVersion);
    for (auto stage : kStages) EXPECT_EQ(adapted.*stage, handler);
  }
  for (XLA_FFI_Handler* handler : {+kAdapts, &ByHand}) {
    EXPECT_EQ(Adapt(AllStages(handler), nullptr).execute, handler);
  }
}

TEST_F(ForeignHeadersTest, OneThatDoesNotHasAllOfItsTargetWrapped) {
  XLA_FFI_Handler* const good = imitated::kHandlers[kNewest];
  XLA_FFI_Handler* const bad = imitated::kHandlers[kNewest - 1];
  const auto& older = kRuntimeVersions[kNewest - 1];
  for (auto stage : kStages) {
    XLA_FFI_Handler_Bundle handlers = AllStages(bad);
    handlers.*stage = good;  // which `older` does not serve
    const XLA_FFI_Handler_Bundle adapted = Adapt(handlers, &older);
    for (auto each : kStages) {
      EXPECT_EQ(adapted.*each, *GetCrossVersionWrapper(handlers.*each, Platform::kHost));
      EXPECT_NE(adapted.*each, handlers.*each);
    }
  }
  // Of a runtime of which nothing is known neither.
  EXPECT_EQ(Adapt(AllStages(good), nullptr).record, *GetCrossVersionWrapper(good, Platform::kHost));
}

TEST_F(ForeignHeadersTest, StagesThatAreNotThereAreNotMade) {
  for (auto stage : kStages) {
    XLA_FFI_Handler_Bundle handlers = {};
    handlers.*stage = imitated::kHandlers[0];
    const XLA_FFI_Handler_Bundle adapted = Adapt(handlers, &kNewestVersion);
    for (auto each : kStages) EXPECT_EQ(adapted.*each != nullptr, each == stage);
  }
}

TEST_F(ForeignHeadersTest, OnesWrittenByHandAreNeverWrapped) {
  XLA_FFI_Handler_Bundle handlers = AllStages(imitated::kHandlers[0]);
  handlers.initialize = &ByHand;
  const XLA_FFI_Handler_Bundle adapted = Adapt(handlers, nullptr);
  EXPECT_EQ(adapted.initialize, &ByHand);
  EXPECT_NE(adapted.record, handlers.record);
}

// The runtime does not know the id, so a wrapper is to hold the state.
TEST_F(ForeignHeadersTest, StateOfATypeOfCallbridgesIsWrapped) {
  XLA_FFI_TypeId id = {0};
  ASSERT_TRUE(host::TypeRegistry::OfProcess()
                  .Register("cross_version_headers_test.State", id, nullptr)
                  .ok());
  XLA_FFI_Handler* const handler = imitated::kHandlers[kNewest];
  imitated::says.state_type_id = id;
  EXPECT_NE(Adapt(AllStages(handler), &kNewestVersion).instantiate, handler);
  imitated::says.state_type_id = {5};
  EXPECT_EQ(Adapt(AllStages(handler), &kNewestVersion).instantiate, handler);
}

// jaxlib 0.9.2 ends in SIGSEGV where it is not.
TEST_F(ForeignHeadersTest, StateInStructsOfAnotherRuntimeIsWrapped) {
  const auto& staged = typed_ffi::FirstThat(
      [](const auto& row) { return row.state == typed_ffi::StateLayout::kStaged; });
  XLA_FFI_Handler* const handler = imitated::kHandlers[typed_ffi::IndexOf(staged) - 1];
  EXPECT_EQ(Adapt(AllStages(handler), &staged).instantiate, handler);
  imitated::says.state_type_id = {5};
  EXPECT_NE(Adapt(AllStages(handler), &staged).execute, handler);
  EXPECT_EQ(Adapt(AllStages(handler), &staged - 1).execute, handler);
}

TEST_F(ForeignHeadersTest, StateOfATypeThatNobodyRegisteredIsRefused) {
  imitated::says.type_is_missing = true;
  EXPECT_EQ(
      AdaptHandlers(AllStages(imitated::kHandlers[kNewest]), Platform::kHost, nullptr).status(),
      absl::InvalidArgumentError(
          "the handler makes state of a type that is not registered; register the type "
          "first, with callbridge.jax.register_type or callbridge_ffi_register_type"));
}

TEST_F(ForeignHeadersTest, EachHandlerHasOneWrapperAPlatform) {
  std::set<XLA_FFI_Handler*> wrappers;
  for (XLA_FFI_Handler* handler : {imitated::kHandlers[0], imitated::kHandlers[1]}) {
    for (Platform platform : {Platform::kHost, Platform::kCuda, Platform::kRocm}) {
      XLA_FFI_Handler* const wrapper = *GetCrossVersionWrapper(handler, platform);
      EXPECT_TRUE(wrappers.insert(wrapper).second);
      EXPECT_EQ(*GetCrossVersionWrapper(handler, platform), wrapper);
    }
  }
}

// Runs last in this program: it uses the compiled trampolines up.
template <int... numbers>
std::array<XLA_FFI_Handler*, sizeof...(numbers)> Numbered(std::integer_sequence<int, numbers...>) {
  return {&imitated::Handler<kNewest, 1 + numbers>...};
}
TEST_F(ForeignHeadersTest, ZClosuresServeWhatTheCompiledOnesCannot) {
  constexpr int kMany = kCompiledCrossVersionTrampolines / 2 + 1;
  std::set<XLA_FFI_Handler*> wrappers;
  XLA_FFI_Handler* last = nullptr;
  for (XLA_FFI_Handler* handler : Numbered(std::make_integer_sequence<int, kMany>())) {
    for (Platform platform : {Platform::kHost, Platform::kCuda}) {
      last = *GetCrossVersionWrapper(handler, platform);
      wrappers.insert(last);
    }
  }
  EXPECT_EQ(wrappers.size(), 2U * kMany);
  static auto& runtime = *new FakeRuntime(kNewest);
  for (XLA_FFI_Handler* wrapper : wrappers) {
    typed_ffi::testing::CallFrame frame;
    int calls = 0;
    imitated::in_the_call = [&](XLA_FFI_CallFrame* shown) {
      ++calls;
      return imitated::MakeError(*shown->api, kNewestVersion, "called");
    };
    EXPECT_EQ(TakeText(wrapper(frame.ForCall(runtime))), "3: called");
    EXPECT_EQ(calls, 1);
  }
}

}  // namespace
}  // namespace callbridge
