// The same for what outlasts a call: the state of each stage, and futures.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "tests/typed_ffi/host/genuine_handlers_test.h"

namespace callbridge {
namespace host {
namespace {

using ::testing::HasSubstr;

// What not every release has, from the first one on that has it.
class GenuineStateTest : public GenuineHandlersTest {};
class GenuineStagedStateTest : public GenuineHandlersTest {};
class GenuineFutureTest : public GenuineHandlersTest {};
class GenuineErrorAndFutureTest : public GenuineHandlersTest {};

INSTANTIATE_SINCE(GenuineStateTest, 431);
INSTANTIATE_SINCE(GenuineStagedStateTest, 1002);
INSTANTIATE_SINCE(GenuineFutureTest, 434);
INSTANTIATE_SINCE(GenuineErrorAndFutureTest, 1200);

TEST_P(GenuineStateTest, State) {
  RegisterCounted();
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.instantiate = Get("Instantiate");
  bundle.execute = Get("Execute");
  Attributes attributes;
  Set(attributes, "start", PrimitiveType::kS32, int32_t{5});
  ASSERT_EQ(Alive(), 0);
  {
    auto one = Instance(bundle, {}, {"s32[]"}, attributes);
    auto other = Instance(bundle, {}, {"s32[]"}, attributes);
    ASSERT_TRUE(one.ok()) << one.status();
    EXPECT_EQ(Alive(), 2);
    int32_t seen = 0;
    void* results[] = {&seen};
    for (int32_t expected : {5, 6, 7}) {
      EXPECT_TRUE((*one)->Execute({{}, absl::MakeSpan(results)}).ok());
      EXPECT_EQ(seen, expected);
    }
    EXPECT_TRUE((*other)->Execute({{}, absl::MakeSpan(results)}).ok());
    EXPECT_EQ(seen, 5);
  }
  EXPECT_EQ(Alive(), 0);

  Set(attributes, "start", PrimitiveType::kS32, int32_t{-1});
  EXPECT_EQ(Instance(bundle, {}, {"s32[]"}, attributes).status(),
            absl::OutOfRangeError("start is below 0"));
  // Without INSTANTIATE there is nothing to find.
  bundle.instantiate = nullptr;
  auto bare = Instance(bundle, {}, {"s32[]"}, attributes);
  int32_t seen = 0;
  void* results[] = {&seen};
  EXPECT_THAT((*bare)->Execute({{}, absl::MakeSpan(results)}).message(),
              HasSubstr("State is not set"));
}

TEST_P(GenuineStagedStateTest, StateOfEachStage) {
  RegisterCounted();
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.instantiate = Get("Instantiate");
  bundle.prepare = Get("Prepare");
  bundle.initialize = Get("Initialize");
  bundle.execute = Get("Staged");
  Attributes attributes;
  Set(attributes, "start", PrimitiveType::kS32, int32_t{1});
  auto instance = Instance(bundle, {}, {"s32[]"}, attributes);
  ASSERT_TRUE(instance.ok()) << instance.status();
  int32_t seen = 0;
  void* results[] = {&seen};
  EXPECT_EQ((*instance)->Execute({{}, absl::MakeSpan(results)}), absl::OkStatus());
  EXPECT_EQ(seen, 1 + 11 * 1000 + 111 * 1000000);
  EXPECT_EQ(Alive(), 1);
  EXPECT_EQ((*instance)->Execute({{}, absl::MakeSpan(results)}), absl::OkStatus());
  EXPECT_EQ(seen, 2 + 12 * 1000 + 112 * 1000000);
  instance->reset();
  EXPECT_EQ(Alive(), 0);
}

TEST_P(GenuineFutureTest, Futures) {
  FixedThreadPool threads(2);
  RuntimeServices services;
  services.thread_pool = &threads;
  for (const char* how : {"later", "before", "error"}) {
    const absl::Status expected =
        std::string(how) == "error" ? absl::DataLossError("later") : absl::OkStatus();
    XLA_FFI_Handler_Bundle bundle = {};
    bundle.execute = Get("Async");
    auto instance = Instance(bundle, {}, {"s32[]"}, Attributes().SetString("how", how));
    ASSERT_TRUE(instance.ok()) << instance.status();
    int32_t seen = 0;
    void* results[] = {&seen};
    EXPECT_EQ((*instance)->Execute({{}, absl::MakeSpan(results)}, services), expected) << how;
    EXPECT_EQ(seen, 42);

    struct Ended {
      std::mutex mutex;
      std::condition_variable changed;
      absl::optional<absl::Status> status;
    } ended;
    AsyncRun run(**instance);
    for (int i = 0; i < 3; ++i) {
      seen = 0;
      ended.status.reset();
      run.Start(
          {{}, absl::MakeSpan(results)}, services,
          [](void* user, absl::Status status) {
            auto& ended = *static_cast<Ended*>(user);
            std::lock_guard<std::mutex> lock(ended.mutex);
            ended.status = std::move(status);
            ended.changed.notify_one();
          },
          &ended);
      std::unique_lock<std::mutex> lock(ended.mutex);
      ended.changed.wait(lock, [&] { return ended.status.has_value(); });
      EXPECT_EQ(*ended.status, expected);
      EXPECT_EQ(seen, 42);
    }
  }
}

TEST_P(GenuineFutureTest, ManyThreadsOneInstance) {
  FixedThreadPool threads(2);
  RuntimeServices services;
  services.thread_pool = &threads;
  XLA_FFI_Handler_Bundle bundle = {};
  bundle.execute = Get("Async");
  auto instance = Instance(bundle, {}, {"s32[]"}, Attributes().SetString("how", "later"));
  ASSERT_TRUE(instance.ok()) << instance.status();
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int call = 0; call < 100; ++call) {
        int32_t seen = 0;
        void* results[] = {&seen};
        EXPECT_EQ((*instance)->Execute({{}, absl::MakeSpan(results)}, services), absl::OkStatus());
        EXPECT_EQ(seen, 42);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_P(GenuineErrorAndFutureTest, AnErrorBesideAFutureCounts) {
  FixedThreadPool threads(1);
  RuntimeServices services;
  services.thread_pool = &threads;
  EXPECT_EQ(Run("ErrorAndFuture", nullptr, nullptr, services), absl::AbortedError("both"));
}

}  // namespace
}  // namespace host
}  // namespace callbridge
