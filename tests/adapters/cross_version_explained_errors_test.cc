// Handlers of each version, called as they are by a runtime of each, whose errors say more.
#include <map>
#include <string>
#include <thread>

#include "callbridge/adapters/cross_version/explained_errors.h"
#include "gtest/gtest.h"
#include "tests/adapters/cross_version_call_fixture.h"

namespace callbridge {
namespace {

using typed_ffi::ApiFunction;

class ExplainedErrorsTest : public ForeignCallTest {
 protected:
  // One runtime a version, as a process has them.
  ExplainedErrorsTest() {
    static auto& runtimes = *new std::map<int, FakeRuntime*>;
    runtime = runtimes.try_emplace(std::get<1>(GetParam()), runtime).first->second;
  }

  // A handler of the runtime's own version, called as it is.
  XLA_FFI_Handler* Plain() const { return imitated::kHandlers[std::get<1>(GetParam())]; }
  XLA_FFI_Handler* Explained(const char* explanation = "it was not asked") const {
    return GetHandlerWithExplainedErrors(Plain(), explanation).value();
  }
  XLA_FFI_Error* Fail(const XLA_FFI_Api& api) const {
    return imitated::MakeError(api, version(), "too late", XLA_FFI_Error_Code_DATA_LOSS);
  }
};

INSTANTIATE_TEST_SUITE_P(Versions, ExplainedErrorsTest,
                         testing::Combine(testing::Values(0),
                                          testing::Range(0, typed_ffi::kRuntimeVersionCount)),
                         NameOfPair);

TEST_P(ExplainedErrorsTest, ErrorsKeepTheirCodeAndSayMore) {
  imitated::in_the_call = [&](XLA_FFI_CallFrame* shown) { return Fail(*shown->api); };
  const std::string plain = TakeText(Plain()(frame.ForCall(*runtime)));
  EXPECT_NE(plain.find("too late"), std::string::npos) << plain;
  const std::string explained = TakeText(Explained()(frame.ForCall(*runtime)));
  EXPECT_EQ(explained, plain + "; it was not asked");
  EXPECT_EQ(Explained(), Explained());
  EXPECT_NE(Explained(), Explained("another reason"));
  EXPECT_EQ(TakeText(Explained("another reason")(frame.ForCall(*runtime))),
            plain + "; another reason");
}

TEST_P(ExplainedErrorsTest, WhatSucceedsIsShownTheRuntimesFrame) {
  float in = 0;
  frame.Arg(XLA_FFI_DataType_F32, {}, &in);
  XLA_FFI_CallFrame* const call = frame.ForCall(*runtime);
  const XLA_FFI_Api* const api = call->api;
  runtime->call.stream = this;
  void* stream = nullptr;
  imitated::in_the_call = [&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
    EXPECT_EQ(shown, call);
    EXPECT_EQ(shown->ctx, runtime->ctx());
    EXPECT_EQ(shown->api->struct_size, api->struct_size);
    XLA_FFI_Stream_Get_Args args = {XLA_FFI_Stream_Get_Args_STRUCT_SIZE, nullptr, shown->ctx, {}};
    auto* const get =
        typed_ffi::FunctionAt<XLA_FFI_Stream_Get>(*shown->api, version(), ApiFunction::kStream);
    if (XLA_FFI_Error* error = get(&args)) return error;
    stream = args.stream;
    return nullptr;
  };
  EXPECT_EQ(TakeText(Explained()(call)), "");
  EXPECT_EQ(stream, this);
  EXPECT_EQ(call->api, api) << "the frame is as it was";
}

// The inner handler's error has the inner explanation, and what comes after it the outer one's.
TEST_P(ExplainedErrorsTest, CallsWithinCalls) {
  std::string inner;
  int depth = 0;
  imitated::in_the_call = [&](XLA_FFI_CallFrame* shown) {
    if (depth++ == 0) inner = TakeText(Explained("inner")(frame.ForCall(*runtime)));
    return Fail(*shown->api);
  };
  typed_ffi::testing::CallFrame outer_frame;
  const std::string outer = TakeText(Explained("outer")(outer_frame.ForCall(*runtime)));
  EXPECT_NE(inner.find("too late; inner"), std::string::npos) << inner;
  EXPECT_NE(outer.find("too late; outer"), std::string::npos) << outer;
}

// As the threads of a handler that returns a future do.
TEST_P(ExplainedErrorsTest, AnErrorOfAnotherThreadIsAsItIs) {
  XLA_FFI_Error* error = nullptr;
  imitated::in_the_call = [&](XLA_FFI_CallFrame* shown) -> XLA_FFI_Error* {
    std::thread([&] { error = Fail(*shown->api); }).join();
    return nullptr;
  };
  EXPECT_EQ(TakeText(Explained()(frame.ForCall(*runtime))), "");
  const std::string text = TakeText(error);
  EXPECT_EQ(text.substr(text.size() - 8), "too late") << text;
}

}  // namespace
}  // namespace callbridge
