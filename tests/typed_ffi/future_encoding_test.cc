// A handler's Future on a runtime of each version.
#include "callbridge/typed_ffi/binding/future_encoding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "tests/typed_ffi/fake_runtime.h"

namespace {

using ::callbridge::typed_ffi::ApiFunction;
using ::callbridge::typed_ffi::kRuntimeVersionCount;
using ::callbridge::typed_ffi::testing::FakeRuntime;
using ::callbridge::typed_ffi::testing::live_errors;
using ::callbridge::typed_ffi::testing::NewError;
using ::callbridge::typed_ffi::testing::RowName;
using ::callbridge::typed_ffi::testing::TakeText;
using namespace xla::ffi;  // NOLINT(google-build-using-namespace)

class FutureEncodingTest : public ::testing::TestWithParam<int> {
 protected:
  ~FutureEncodingTest() override { EXPECT_EQ(live_errors, 0); }

  // What a handler that returns `future` comes to: "" or the error, and whether it was waited for.
  // `complete` is called in another thread, where the runtime has futures after the handler.
  template <typename Complete>
  std::string Run(Future future, Complete complete) {
    std::thread completer;
    if (!has_futures()) {
      completer = std::thread([&complete] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        complete();
      });
    }
    std::variant<XLA_FFI_Error*, XLA_FFI_Future*> encoded =
        ResultEncoding<ExecutionStage::kExecute, Future>::Encode(runtime.api(), runtime.ctx(),
                                                                 std::move(future));
    if (!has_futures()) {
      completer.join();
      EXPECT_EQ(encoded.index(), 0u);
      return TakeText(std::get<0>(encoded));
    }
    if (encoded.index() == 0) return "synchronous " + TakeText(std::get<0>(encoded));
    std::unique_ptr<XLA_FFI_Future> runtime_future(std::get<1>(encoded));
    EXPECT_FALSE(runtime_future->done);
    completer = std::thread(complete);
    completer.join();
    EXPECT_TRUE(runtime_future->done);
    return TakeText(runtime_future->error);
  }

  bool has_futures() const { return runtime.Has(ApiFunction::kFutureCreate); }

  FakeRuntime runtime{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(AllVersions, FutureEncodingTest, ::testing::Range(0, kRuntimeVersionCount),
                         [](const auto& info) { return RowName(info.param); });

TEST_P(FutureEncodingTest, Success) {
  Promise promise;
  EXPECT_EQ(Run(Future(promise), [&] { promise.SetAvailable(); }), "");
}

TEST_P(FutureEncodingTest, Failure) {
  Promise promise;
  EXPECT_EQ(Run(Future(promise), [&] { promise.SetError(Error(ErrorCode::kAborted, "late")); }),
            "10: late");
}

TEST_P(FutureEncodingTest, CountedDown) {
  CountDownPromise promise(3);
  EXPECT_EQ(Run(Future(promise),
                [&] {
                  EXPECT_FALSE(promise.CountDown());
                  EXPECT_FALSE(promise.CountDown(Error::Internal("in between")));
                  EXPECT_TRUE(promise.CountDown());
                }),
            "13: in between");
}

TEST_P(FutureEncodingTest, DroppedPromiseIsAnErrorAndNotForEver) {
  auto promise = std::make_unique<Promise>();
  EXPECT_EQ(Run(Future(*promise), [&] { promise.reset(); }),
            "13: the promise was dropped before it was completed");
}

TEST_P(FutureEncodingTest, WhatIsDoneNeedsNoFuture) {
  using Encoding = ResultEncoding<ExecutionStage::kExecute, Future>;
  Promise available;
  Future done(available);
  available.SetAvailable();
  auto encoded = Encoding::Encode(runtime.api(), runtime.ctx(), std::move(done));
  ASSERT_EQ(encoded.index(), 0u);
  EXPECT_EQ(TakeText(std::get<0>(encoded)), "");

  Promise failed;
  Future error(failed);
  failed.SetError(Error::InvalidArgument("early"));
  encoded = Encoding::Encode(runtime.api(), runtime.ctx(), std::move(error));
  ASSERT_EQ(encoded.index(), 0u);
  EXPECT_EQ(TakeText(std::get<0>(encoded)), "3: early");
}

// Nothing is done before it is known that the handler was not too quick.
TEST_P(FutureEncodingTest, CompletedWhileItIsEncoded) {
  for (int i = 0; i < 200; ++i) {
    Promise promise;
    Future future(promise);
    std::thread completer([&promise] { promise.SetError(Error::Internal("racing")); });
    auto encoded = ResultEncoding<ExecutionStage::kExecute, Future>::Encode(
        runtime.api(), runtime.ctx(), std::move(future));
    completer.join();
    if (encoded.index() == 0) {
      EXPECT_EQ(TakeText(std::get<0>(encoded)), "13: racing");
    } else {
      std::unique_ptr<XLA_FFI_Future> runtime_future(std::get<1>(encoded));
      EXPECT_TRUE(runtime_future->done);
      EXPECT_EQ(TakeText(runtime_future->error), "13: racing");
    }
  }
}

// Each of the three functions is needed.
TEST(FutureEncodingOfIncompleteRuntimeTest, Waits) {
  for (ApiFunction missing : {ApiFunction::kFutureCreate, ApiFunction::kFutureSetAvailable,
                              ApiFunction::kFutureSetError}) {
    FakeRuntime runtime(kRuntimeVersionCount - 1);
    runtime.LeaveOut(missing);
    Promise promise;
    Future future(promise);
    std::thread completer([&promise] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      promise.SetAvailable();
    });
    auto encoded = ResultEncoding<ExecutionStage::kExecute, Future>::Encode(
        runtime.api(), runtime.ctx(), std::move(future));
    completer.join();
    ASSERT_EQ(encoded.index(), 0u);
    EXPECT_EQ(std::get<0>(encoded), nullptr);
  }
}

TEST(FutureEncodingOfRefusingRuntimeTest, NoFutureIsTheHandlersError) {
  FakeRuntime runtime(kRuntimeVersionCount - 1);
  XLA_FFI_Api api = *runtime.api();
  api.XLA_FFI_Future_Create = [](XLA_FFI_Future_Create_Args*) {
    return NewError(XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "no future");
  };
  const Promise promise;
  auto encoded = ResultEncoding<ExecutionStage::kExecute, Future>::Encode(&api, runtime.ctx(),
                                                                          Future(promise));
  ASSERT_EQ(encoded.index(), 0u);
  EXPECT_EQ(TakeText(std::get<0>(encoded)), "8: no future");
  EXPECT_EQ(live_errors, 0);
}

// Whoever waits for it would wait for ever.
TEST(FutureEncodingOfRefusingRuntimeDeathTest, AFutureThatCannotBeCompletedEndsTheProcess) {
  FakeRuntime runtime(kRuntimeVersionCount - 1);
  XLA_FFI_Api api = *runtime.api();
  api.XLA_FFI_Future_SetAvailable = [](XLA_FFI_Future_SetAvailable_Args*) {
    return NewError(XLA_FFI_Error_Code_INTERNAL, "not available");
  };
  api.XLA_FFI_Future_SetError = [](XLA_FFI_Future_SetError_Args*) {
    return NewError(XLA_FFI_Error_Code_INTERNAL, "no error");
  };
  using Encoding = ResultEncoding<ExecutionStage::kExecute, Future>;
  const auto complete = [&](auto how) {
    Promise promise;
    [[maybe_unused]] const auto encoded = Encoding::Encode(&api, runtime.ctx(), Future(promise));
    how(promise);
  };
  const std::string begin = "xla::ffi: the runtime refused the completion of its future: ";
  EXPECT_DEATH(complete([](Promise& promise) { promise.SetAvailable(); }), begin + "not available");
  EXPECT_DEATH(complete([](Promise& promise) { promise.SetError(Error::Internal("x")); }),
               begin + "no error");
}

}  // namespace
