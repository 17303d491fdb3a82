// Future, Promise and CountDownPromise. Compiled with XLA's genuine headers too, GENUINE.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "xla/ffi/api/ffi.h"

namespace {

using namespace xla::ffi;  // NOLINT(google-build-using-namespace)

// "pending", "available", or the error's message; all that a waiter is told.
class Outcome {
 public:
  void Watch(Future& future) {
    future.OnReady([text = text_](const std::optional<Error>& error) {
      *text = error.has_value() ? error->message() : "available";
    });
  }
  const std::string& text() const { return *text_; }

 private:
  std::shared_ptr<std::string> text_ = std::make_shared<std::string>("pending");
};

TEST(FutureTest, WaiterBeforeAndAfter) {
  Promise promise;
  Future future(promise);
  Outcome before;
  before.Watch(future);
  EXPECT_EQ(before.text(), "pending");
  promise.SetAvailable();
  EXPECT_EQ(before.text(), "available");
  Outcome after;
  after.Watch(future);
  EXPECT_EQ(after.text(), "available");
}

TEST(FutureTest, Error) {
  Promise promise;
  Future future(promise);
  Outcome outcome;
  outcome.Watch(future);
  Promise moved = std::move(promise);
  moved.SetError(Error::Internal("broken"));
  EXPECT_EQ(outcome.text(), "broken");
}

TEST(FutureTest, OutlivesItsPromise) {
  auto promise = std::make_unique<Promise>();
  Future future(*promise);
  promise->SetAvailable();
  promise.reset();
  Outcome outcome;
  Future moved = std::move(future);
  outcome.Watch(moved);
  EXPECT_EQ(outcome.text(), "available");
}

TEST(CountDownPromiseTest, CompletesAtZero) {
  CountDownPromise promise(4);
  Future future(promise);
  Outcome outcome;
  outcome.Watch(future);
  EXPECT_FALSE(promise.CountDown());
  CountDownPromise copy = promise;
  EXPECT_FALSE(copy.CountDown(2));
  EXPECT_EQ(outcome.text(), "pending");
  EXPECT_TRUE(promise.CountDown());
  EXPECT_EQ(outcome.text(), "available");
}

TEST(CountDownPromiseTest, TheLastErrorCounts) {
  CountDownPromise promise(Promise(), 3);
  Future future(promise);
  Outcome outcome;
  outcome.Watch(future);
  EXPECT_FALSE(promise.CountDown(Error::Internal("first")));
  EXPECT_FALSE(promise.CountDown(1, Error::Internal("second")));
  EXPECT_TRUE(promise.CountDown());
  EXPECT_EQ(outcome.text(), "second");
}

TEST(CountDownPromiseTest, ManyThreads) {
  constexpr int kThreads = 8, kEach = 1000;
  CountDownPromise promise(int64_t{kThreads} * kEach);
  Future future(promise);
  std::atomic<int> completions{0};
  std::string message;
  future.OnReady([&](const std::optional<Error>& error) { message = error->message(); });
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const bool fails = t == 3 && i % 100 == 0;
        completions += promise.CountDown(fails ? Error::Internal("one of them") : Error::Success());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(completions, 1);
  EXPECT_EQ(message, "one of them");
}

TEST(CountDownPromiseTest, ErrorsOfManyThreads) {
  constexpr int kThreads = 8, kEach = 500;
  CountDownPromise promise(int64_t{kThreads} * kEach);
  Future future(promise);
  std::string message;
  future.OnReady([&](const std::optional<Error>& error) { message = error->message(); });
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const std::string text(100 + 40 * t, static_cast<char>('a' + t));
      for (int i = 0; i < kEach; ++i) promise.CountDown(Error::Internal(text));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(message, std::string(message.size(), message[0]));
  EXPECT_EQ(message.size(), 100 + 40 * static_cast<size_t>(message[0] - 'a'));
}

TEST(FutureTest, CompletedWhileItIsWatched) {
  for (int i = 0; i < 1000; ++i) {
    Promise promise;
    Future future(promise);
    std::atomic<int> calls{0};
    std::thread completer([&promise] { promise.SetAvailable(); });
    future.OnReady([&calls](const std::optional<Error>& error) { calls += !error.has_value(); });
    completer.join();
    EXPECT_EQ(calls, 1);
  }
}

#ifndef GENUINE

TEST(FutureTest, DroppedPromise) {
  Outcome outcome;
  {
    Promise promise;
    Future future(promise);
    outcome.Watch(future);
  }
  EXPECT_EQ(outcome.text(), "the promise was dropped before it was completed");
}

TEST(FutureTest, WaiterThatCanOnlyBeMoved) {
  Promise promise;
  Future future(promise);
  int seen = 0;
  future.OnReady([&seen, by = std::make_unique<int>(4)](const auto&) { seen = *by; });
  promise.SetAvailable();
  EXPECT_EQ(seen, 4);
}

// Whenever it is called, and even where it is told of a promise that is gone.
TEST(FutureTest, AWaiterIsGoneWhenItHasBeenCalled) {
  for (const char* how : {"before", "after", "dropped"}) {
    const auto owned = std::make_shared<int>(0);
    const auto waiter = [owned](const std::optional<Error>&) { ++*owned; };
    auto promise = std::make_unique<Promise>();
    auto future = std::make_unique<Future>(*promise);
    if (std::string(how) == "after") promise->SetAvailable();
    future->OnReady(waiter);
    if (std::string(how) == "before") promise->SetAvailable();
    if (std::string(how) == "dropped") promise.reset();
    future.reset();
    EXPECT_EQ(*owned, 1) << how;
    EXPECT_EQ(owned.use_count(), 2) << how << ": the test's two";
  }
}

TEST(CountDownPromiseTest, CountsManyAtOnce) {
  CountDownPromise promise(5);
  Future future(promise);
  Outcome outcome;
  outcome.Watch(future);
  EXPECT_FALSE(promise.CountDown(4));
  {
    CountDownPromise at_once(3);
    Future done(at_once);
    Outcome available;
    available.Watch(done);
    EXPECT_TRUE(at_once.CountDown(3));
    EXPECT_EQ(available.text(), "available");
  }
  EXPECT_EQ(outcome.text(), "pending");
  EXPECT_TRUE(promise.CountDown(1, Error::Internal("with the last")));
  EXPECT_EQ(outcome.text(), "with the last");
}

#endif  // GENUINE

}  // namespace
