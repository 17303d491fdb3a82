// What handlers of each version are shown by runtimes of each version, and what becomes of their
// errors.
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "tests/adapters/cross_version_call_fixture.h"

namespace callbridge {
namespace {

using typed_ffi::ApiFunction;
using typed_ffi::kNoStage;
using typed_ffi::kRuntimeVersions;
using typed_ffi::RuntimeVersion;
using typed_ffi::testing::live_errors;

INSTANTIATE_TEST_SUITE_P(Versions, ForeignCallTest, AllPairsOfVersions(), NameOfPair);

// ---- The frame

TEST_P(ForeignCallTest, IsShownTheFrameOfItsHeaders) {
  float in = 0, out = 0;
  frame.Arg(XLA_FFI_DataType_F32, {}, &in).Ret(XLA_FFI_DataType_F32, {}, &out);
  frame.attributes().S32("n", 7);
  imitated::in_the_call = [&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
    EXPECT_EQ(shown->struct_size, size_t{XLA_FFI_CallFrame_STRUCT_SIZE});
    EXPECT_EQ(shown->api->struct_size, recognized_headers().stated_size);
    if (&headers() != &kRuntimeVersions[0]) {
      EXPECT_EQ(shown->api->api_version.struct_size, size_t{XLA_FFI_Api_Version_STRUCT_SIZE});
      EXPECT_EQ(shown->api->api_version.major_version, 0);
      EXPECT_EQ(shown->api->api_version.minor_version, headers().minor);
    }
    EXPECT_NE(shown->ctx, runtime->ctx());
    EXPECT_EQ(shown->stage, headers().execute);
    EXPECT_EQ(shown->args.size, 1);
    EXPECT_EQ(static_cast<XLA_FFI_Buffer*>(shown->args.args[0])->data, &in);
    EXPECT_EQ(shown->rets.size, 1);
    EXPECT_EQ(static_cast<XLA_FFI_Buffer*>(shown->rets.rets[0])->data, &out);
    EXPECT_EQ(shown->attrs.size, 1);
    EXPECT_EQ(shown->future, nullptr);
    out = 5;
    return nullptr;
  };
  XLA_FFI_CallFrame* call = frame.ForCall(*runtime);
  // An extension that is no query is passed on.
  XLA_FFI_InternalExtension other = {sizeof(other), static_cast<XLA_FFI_InternalExtension_Type>(9),
                                     nullptr};
  call->extension_start = &other;
  EXPECT_EQ(TakeText(Wrapper()(call)), "");
  EXPECT_EQ(out, 5);
}

// Two calls of one thread at a time: each has a context of its own.
TEST_P(ForeignCallTest, MayCallAnother) {
  runtime->call.stream = this;
  int depth = 0;
  std::string inner = "not called";
  const auto get_stream = [&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
    if (depth++ == 0) inner = TakeText(Wrapper()(frame.ForCall(*runtime)));
    XLA_FFI_Stream_Get_Args args = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, nullptr, shown->ctx, {}};
    XLA_FFI_Error* error = Ask<XLA_FFI_Stream_Get>(*shown->api, ApiFunction::kStream, args);
    EXPECT_EQ(args.stream, this);
    return error;
  };
  EXPECT_EQ(Call(get_stream), "");
  EXPECT_EQ(inner, "");
  EXPECT_EQ(depth, 2);
}

struct Stage {
  const char* name;
  const int8_t RuntimeVersion::*number;
};
constexpr Stage kStages[] = {{"INSTANTIATE", &RuntimeVersion::instantiate},
                             {"PREPARE", &RuntimeVersion::prepare},
                             {"INITIALIZE", &RuntimeVersion::initialize},
                             {"EXECUTE", &RuntimeVersion::execute},
                             {"RECORD", &RuntimeVersion::record}};

TEST_P(ForeignCallTest, IsCalledAtTheStageInItsOwnNumbers) {
  for (const Stage& stage : kStages) {
    if (version().*stage.number == kNoStage) continue;
    int seen = -2;
    const std::string answer =
        CallAt(version().*stage.number, [&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
          seen = shown->stage;
          return nullptr;
        });
    if (headers().*stage.number != kNoStage) {
      EXPECT_EQ(answer, "");
      EXPECT_EQ(seen, headers().*stage.number) << stage.name;
      continue;
    }
    EXPECT_EQ(answer, std::string("12: the handler was built with XLA's headers of ") +
                          recognized_headers().releases + ", which have no stage " + stage.name);
    EXPECT_EQ(seen, -2) << stage.name;
  }
  EXPECT_EQ(CallAt(77, nullptr), "12: unknown stage 77");
}

// ---- Contexts, which threads provide to calls and leave to others

void NestCalls(XLA_FFI_Handler* wrapper, FakeRuntime& runtime, int depth) {
  typed_ffi::testing::CallFrame frame;
  if (depth > 0) {
    EXPECT_EQ(TakeText(wrapper(frame.ForCall(runtime))), "");
  }
}

TEST(ForeignContextTest, AnEndedThreadsContextsServeTheNext) {
  static auto& runtime = *new FakeRuntime(0);
  XLA_FFI_Handler* const wrapper = *GetCrossVersionWrapper(imitated::kHandlers[0], Platform::kHost);
  constexpr int kDepth = 5;
  const auto contexts_of_a_thread = [&] {
    std::set<XLA_FFI_InvokeContext*> contexts;
    imitated::in_the_call = [&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
      EXPECT_TRUE(contexts.insert(shown->ctx).second) << "it is another call's";
      NestCalls(wrapper, runtime, kDepth - static_cast<int>(contexts.size()));
      return nullptr;
    };
    std::thread(NestCalls, wrapper, std::ref(runtime), kDepth).join();
    imitated::in_the_call = nullptr;
    return contexts;
  };
  const std::set<XLA_FFI_InvokeContext*> first = contexts_of_a_thread();
  EXPECT_EQ(first.size(), size_t{kDepth});
  EXPECT_EQ(contexts_of_a_thread(), first);
}

TEST(ForeignContextTest, TwoThreadsNeverShareOne) {
  static auto& runtime = *new FakeRuntime(0);
  XLA_FFI_Handler* const wrapper = *GetCrossVersionWrapper(imitated::kHandlers[0], Platform::kHost);
  // So that several are there to be taken.
  int depth = 5;
  imitated::in_the_call = [&](XLA_FFI_CallFrame*) -> XLA_FFI_Error* {
    NestCalls(wrapper, runtime, --depth);
    return nullptr;
  };
  std::thread(NestCalls, wrapper, std::ref(runtime), depth).join();

  std::mutex mutex;
  std::set<XLA_FFI_InvokeContext*> contexts;
  std::atomic<int> calls{0};
  imitated::in_the_call = [&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
    thread_local int calls_of_thread = 0;
    const int nested = calls_of_thread++;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      EXPECT_TRUE(contexts.insert(shown->ctx).second) << "it is another call's";
    }
    ++calls;
    // All four are under way at once.
    while (calls < 2 * (nested + 1)) std::this_thread::yield();
    NestCalls(wrapper, runtime, 1 - nested);
    return nullptr;
  };
  std::thread other(NestCalls, wrapper, std::ref(runtime), 1);
  std::thread another(NestCalls, wrapper, std::ref(runtime), 1);
  other.join();
  another.join();
  imitated::in_the_call = nullptr;
  EXPECT_EQ(contexts.size(), 4U);
}

// ---- Errors

TEST_P(ForeignCallTest, ItsErrorsBecomeTheRuntimes) {
  for (const auto code : {XLA_FFI_Error_Code_CANCELLED, XLA_FFI_Error_Code_DATA_LOSS,
                          XLA_FFI_Error_Code_UNAUTHENTICATED}) {
    EXPECT_EQ(
        Call([&](XLA_FFI_CallFrame* shown) { return MakeError(*shown->api, code, "told so"); }),
        std::to_string(code) + ": told so");
  }
}

TEST_P(ForeignCallTest, ItsErrorsCanBeReadAndDropped) {
  EXPECT_EQ(Call([&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
              XLA_FFI_Error* error = MakeError(*shown->api, XLA_FFI_Error_Code_ABORTED, "told so");
              const Details details = TakeDetails(*shown->api, error);
              EXPECT_EQ(details.message, "told so");
              if (HeadersHave(ApiFunction::kErrorGetDetails)) {
                EXPECT_EQ(details.code, XLA_FFI_Error_Code_ABORTED);
              }
              return nullptr;
            }),
            "");
}

TEST_P(ForeignCallTest, TheRuntimesErrorsCanBeReadDroppedAndPassedOn) {
  runtime->call.refusal = "refused";
  const auto ask = [](XLA_FFI_CallFrame* shown) {
    XLA_FFI_Stream_Get_Args args = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, nullptr, shown->ctx, {}};
    return Ask<XLA_FFI_Stream_Get>(*shown->api, ApiFunction::kStream, args);
  };
  EXPECT_EQ(Call([&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
              XLA_FFI_Error* error = ask(shown);
              EXPECT_EQ(live_errors, 1);
              const Details details = TakeDetails(*shown->api, error);
              EXPECT_EQ(live_errors, 0);
              EXPECT_EQ(details.message, "refused");
              if (HeadersHave(ApiFunction::kErrorGetDetails)) {
                // What the runtime does not say nobody knows.
                EXPECT_EQ(details.code, runtime->Has(ApiFunction::kErrorGetDetails)
                                            ? XLA_FFI_Error_Code_FAILED_PRECONDITION
                                            : XLA_FFI_Error_Code_UNKNOWN);
              }
              return nullptr;
            }),
            "");
  // The very error, and so with its code on every runtime.
  EXPECT_EQ(Call(ask), "9: refused");
}

TEST_P(ForeignCallTest, WhatItThrowsIsAnError) {
  EXPECT_EQ(Call([](XLA_FFI_CallFrame*) -> XLA_FFI_Error* { throw std::runtime_error("boom"); }),
            "13: CustomCall failed: the target threw std::runtime_error: boom");
  EXPECT_EQ(Call([](XLA_FFI_CallFrame*) -> XLA_FFI_Error* { throw 5; }),
            "13: CustomCall failed: the target threw int");
}

TEST_P(ForeignCallTest, CannotRegisterHandlers) {
  EXPECT_EQ(Call([](XLA_FFI_CallFrame* shown) {
              return In<XLA_FFI_Handler_Register>(*shown->api,
                                                  ApiFunction::kHandlerRegister)(nullptr);
            }),
            "12: a handler that runs through callbridge cannot call XLA_FFI_Handler_Register: "
            "register with callbridge");
}

}  // namespace
}  // namespace callbridge
