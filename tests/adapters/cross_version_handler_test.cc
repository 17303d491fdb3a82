// Handlers built with the genuine headers of each version, on a runtime of each version.
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "callbridge/typed_ffi/host/call_handler.h"
#include "callbridge/typed_ffi/host/handler_instance.h"
#include "callbridge/typed_ffi/host/invocation.h"
#include "callbridge/typed_ffi/host/metadata_query.h"
#include "callbridge/typed_ffi/host/releases.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/cross_version_handlers.h"
#include "tests/built_releases.h"

namespace callbridge {
namespace {

using host::HandlerInstance;
using host::RuntimeServices;
using testing::Combine;
using testing::Each;
using testing::HasSubstr;
using testing::Range;
using testing::ValuesIn;
using typed_ffi::kRuntimeVersionCount;
using typed_ffi::kRuntimeVersions;
using typed_ffi::RuntimeVersion;

constexpr size_t kSize = 8;

struct Release {
  const char* name;
  int minor;  // of the API version that its headers have
};
constexpr Release kReleases[] = {{"0.4.30", 0}, {"0.4.31", 0}, {"0.4.34", 1},
                                 {"0.4.38", 1}, {"0.6.2", 1},  {"0.8.3", 2},
                                 {"0.10.2", 3}, {"0.11.2", 4}, {"0.12.0.1", 5}};

class ForeignHandlerTest : public CrossVersionHandlersTest<std::tuple<Release, int>> {
 protected:
  void SetUp() override { Load(release().name); }

  static Release release() { return std::get<0>(GetParam()); }
  static const RuntimeVersion& runtime() { return kRuntimeVersions[std::get<1>(GetParam())]; }
  static bool is_0_4_30() { return std::get<1>(GetParam()) == 0; }
  // Their XLA:CPU has no state, user data and scratch memory.
  static bool is_before_0_4_32() { return std::get<1>(GetParam()) <= 1; }

  // Null where the headers have no such feature.
  XLA_FFI_Handler* Wrapper(const std::string& name) const {
    auto* handler = Find<XLA_FFI_Handler>(name);
    if (handler == nullptr) return nullptr;
    absl::StatusOr<XLA_FFI_Handler*> wrapper = GetCrossVersionWrapper(handler, Platform::kHost);
    EXPECT_TRUE(wrapper.ok()) << wrapper.status();
    return *wrapper;
  }

  absl::StatusOr<std::unique_ptr<HandlerInstance>> Instantiate(
      const XLA_FFI_Handler_Bundle& handlers, size_t operands, const Attributes& attributes) const {
    const Shape shape = Shape::MakeArray(PrimitiveType::kF32, {kSize}).value();
    const std::vector<Shape> shapes(operands, shape);
    return HandlerInstance::Create(runtime(), handlers,
                                   host::CallFrame(shapes, {&shape, 1}, attributes));
  }

  absl::Status Run(const HandlerInstance& instance, size_t operands,
                   const RuntimeServices& services = {}) {
    std::iota(operand_.begin(), operand_.end(), 0.0F);
    result_.fill(-1);
    std::vector<void*> pointers(operands, operand_.data());
    void* result = result_.data();
    return instance.Execute({absl::MakeSpan(pointers), {&result, 1}}, services);
  }

  absl::Status Call(const std::string& name, size_t operands, const Attributes& attributes = {},
                    const RuntimeServices& services = {}) {
    XLA_FFI_Handler_Bundle handlers = {};
    handlers.execute = Wrapper(name);
    auto instance = Instantiate(handlers, operands, attributes);
    return instance.ok() ? Run(**instance, operands, services) : instance.status();
  }

  std::array<float, kSize> operand_;
  std::array<float, kSize> result_;
};

Attributes Scalar(const char* name, int32_t value) {
  Attributes attributes;
  attributes.SetScalar(name, PrimitiveType::kS32, &value);
  return attributes;
}

TEST_P(ForeignHandlerTest, IsRecognised) {
  absl::StatusOr<HandlerHeaders> headers = RecognizeHeaders(Find<XLA_FFI_Handler>("add"));
  ASSERT_TRUE(headers.ok()) << headers.status();
  EXPECT_FALSE(headers->adapts);
  EXPECT_EQ(headers->version->minor, release().minor);
  // 0.0 is two, which are told apart.
  if (release().minor == 0) {
    EXPECT_EQ(headers->version, host::VersionOfRelease(release().name).value());
  }
}

TEST_P(ForeignHandlerTest, RegistersWithItsTraitsAndTheLowestVersion) {
  auto metadata = host::QueryMetadata(runtime(), Wrapper("add"));
  ASSERT_TRUE(metadata.ok()) << metadata.status();
  if (runtime().metadata_size != 0) {
    EXPECT_EQ(metadata->minor_version, 1);
  }
  EXPECT_EQ(metadata->traits, 0U);
}

TEST_P(ForeignHandlerTest, GetsBuffersAndAttributes) {
  ASSERT_EQ(Call("add", 2), absl::OkStatus());
  EXPECT_EQ(result_[3], 6);
  ASSERT_EQ(Call("any_buffer", 1), absl::OkStatus());
  EXPECT_EQ(result_, operand_);
  ASSERT_EQ(Call("variadic", 3), absl::OkStatus());
  EXPECT_EQ(result_[3], 9);
  ASSERT_EQ(Call("no_argument", 0), absl::OkStatus());
  EXPECT_THAT(result_, Each(42));

  const float two = 2;
  const std::array<int32_t, 3> shifts = {1, 2, 3};
  Attributes attributes;
  attributes.SetScalar("factor", PrimitiveType::kF32, &two);
  attributes.SetString("text", "four");
  attributes.SetArray("shifts", PrimitiveType::kS32, shifts.data(), shifts.size());
  ASSERT_EQ(Call("attribute", 1, attributes), absl::OkStatus());
  EXPECT_EQ(result_[3], 16);

  Attributes dictionary = Scalar("y", 3);
  dictionary.SetScalar("x", PrimitiveType::kF32, &two);
  ASSERT_EQ(Call("dictionary", 0, dictionary), absl::OkStatus());
  EXPECT_THAT(result_, Each(5));
}

TEST_P(ForeignHandlerTest, FailsAsItSays) {
  EXPECT_EQ(Call("error", 1), absl::FailedPreconditionError("told to fail"));
  const absl::Status decoding = Call("error", 2);
  EXPECT_EQ(decoding.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(decoding.message(), HasSubstr("Wrong number of arguments"));
  const absl::Status thrown = Call("throwing", 1);
  EXPECT_EQ(thrown.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(thrown.message(), HasSubstr("thrown"));
}

TEST_P(ForeignHandlerTest, KeepsState) {
  if (!Has("state_execute")) GTEST_SKIP() << "the headers have no state";
  auto* live = Find<int()>("count_live_states");
  XLA_FFI_Handler_Bundle handlers = {};
  handlers.instantiate = Wrapper("state_instantiate");
  handlers.execute = Wrapper("state_execute");
  ASSERT_EQ(live(), 0);
  {
    auto instance = Instantiate(handlers, 0, Scalar("start", 10));
    if (is_0_4_30()) {
      EXPECT_EQ(instance.status().code(), absl::StatusCode::kUnimplemented);
      handlers.instantiate = nullptr;
      const absl::Status status = Run(**Instantiate(handlers, 0, Scalar("start", 10)), 0);
      EXPECT_THAT(status.message(), HasSubstr("state on the CPU needs XLA FFI 0.1"));
      return;
    }
    ASSERT_TRUE(instance.ok()) << instance.status();
    EXPECT_EQ(live(), 1);
    if (is_before_0_4_32()) {
      EXPECT_THAT(Run(**instance, 0).message(), HasSubstr("state on the CPU needs XLA FFI 0.1"));
      return;
    }
    for (int i = 10; i < 13; ++i) {
      ASSERT_EQ(Run(**instance, 0), absl::OkStatus());
      EXPECT_THAT(result_, Each(i));
    }
  }
  EXPECT_EQ(live(), 0);
}

// What the wrapper made to keep a state that the runtime then refuses to keep is gone.
TEST_P(ForeignHandlerTest, FreesAStateThatTheRuntimeRefuses) {
  if (!Has("state_execute")) GTEST_SKIP() << "the headers have no state";
  if (runtime().instantiate == typed_ffi::kNoStage) GTEST_SKIP() << "the runtime has no state";
  const host::CallFrame site({}, {}, Scalar("start", 10));
  host::Invocation without_states({}, {});
  without_states.set_stage(XLA_FFI_ExecutionStage_INSTANTIATE);
  // XLA:GPU of newer releases also lists the buffers, without data.
  for (int64_t buffers : {0, 1}) {
    XLA_FFI_CallFrame frame = site.WithoutBuffers();
    XLA_FFI_Buffer result = {
        XLA_FFI_Buffer_STRUCT_SIZE, nullptr, XLA_FFI_DataType_F32, nullptr, 0, nullptr};
    XLA_FFI_RetType type = XLA_FFI_RetType_BUFFER;
    void* results[] = {&result};
    frame.rets.size = buffers;
    frame.rets.types = &type;
    frame.rets.rets = results;
    frame.api = &host::ApiTable(runtime());
    frame.ctx = without_states.get();
    frame.stage = static_cast<XLA_FFI_ExecutionStage>(runtime().instantiate);
    const absl::Status status = host::CallHandler(Wrapper("state_instantiate"), frame);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(status.message(), HasSubstr("cannot be set"));
    EXPECT_EQ(frame.rets.size, buffers);
    Find<void()>("delete_newest_state")();
  }
  EXPECT_EQ(Find<int()>("count_live_states")(), 0);
}

TEST_P(ForeignHandlerTest, FinishesLater) {
  if (!Has("future")) GTEST_SKIP() << "the headers have no futures";
  for (int32_t mode : {0, 2}) {
    ASSERT_EQ(Call("future", 1, Scalar("mode", mode)), absl::OkStatus()) << mode;
    EXPECT_EQ(result_, operand_);
  }
  for (int32_t mode : {1, 3}) {
    EXPECT_EQ(Call("future", 1, Scalar("mode", mode)), absl::AbortedError("told to fail later"));
  }
}

TEST_P(ForeignHandlerTest, AnErrorBesideAFutureCounts) {
  if (!Has("error_and_future")) GTEST_SKIP() << "the headers have no futures";
  EXPECT_EQ(Call("error_and_future", 1), absl::FailedPreconditionError("told to fail"));
}

TEST_P(ForeignHandlerTest, UsesTheRuntimesThreads) {
  if (!Has("thread_pool")) GTEST_SKIP() << "the headers have no thread pool";
  host::FixedThreadPool pool(3);
  RuntimeServices services;
  services.thread_pool = &pool;
  ASSERT_EQ(Call("thread_pool", 1, {}, services), absl::OkStatus());
  EXPECT_EQ(result_, operand_);
  if (!Has("num_threads")) return;
  ASSERT_EQ(Call("num_threads", 0, {}, services), absl::OkStatus());
  const bool has_number =
      runtime().slots[static_cast<int>(typed_ffi::ApiFunction::kThreadPoolNumThreads)] != 0;
  EXPECT_THAT(result_, Each(has_number ? 3 : 0));  // an error that the headers swallow
}

// The runtime's context is gone by then.
TEST_P(ForeignHandlerTest, UsesThreadsAfterItReturned) {
  if (!Has("thread_pool_later")) GTEST_SKIP() << "the headers have no thread pool";
  host::FixedThreadPool pool(1);
  RuntimeServices services;
  services.thread_pool = &pool;
  ASSERT_EQ(Call("thread_pool_later", 1, {}, services), absl::OkStatus());
  EXPECT_EQ(result_, operand_);
}

TEST_P(ForeignHandlerTest, KnowsTheRunAndTheDevice) {
  if (!Has("run_id")) GTEST_SKIP() << "the headers have no run id";
  RuntimeServices services;
  services.run_id = 7;
  services.device_ordinal = 5;
  const absl::Status run = Call("run_id", 0, {}, services);
  const absl::Status device = Call("device_ordinal", 0, {}, services);
  if (runtime().slots[static_cast<int>(typed_ffi::ApiFunction::kRunId)] == 0) {
    EXPECT_THAT(run.message(), HasSubstr("XLA_FFI_RunId_Get needs the XLA FFI 0.1 of jaxlib 0.6"));
    EXPECT_THAT(device.message(), HasSubstr("XLA_FFI_DeviceOrdinal_Get needs"));
    return;
  }
  EXPECT_EQ(run, absl::OkStatus());
  EXPECT_EQ(device, absl::OkStatus());
  EXPECT_THAT(result_, Each(5));
}

TEST_P(ForeignHandlerTest, GetsUserData) {
  struct Weight {
    float value = 11;
  } weight;
  const host::UserData data = {*Find<XLA_FFI_TypeId*()>("weight_id")(), &weight};
  RuntimeServices services;
  services.user_data = {&data, 1};
  const absl::Status status = Call("user_data", 0, {}, services);
  if (is_before_0_4_32()) {
    EXPECT_THAT(status.message(), HasSubstr("user data on the CPU needs"));
    return;
  }
  ASSERT_EQ(status, absl::OkStatus());
  EXPECT_THAT(result_, Each(11));
}

TEST_P(ForeignHandlerTest, GetsScratchMemory) {
  host::HostScratchAllocator allocator;
  RuntimeServices services;
  services.scratch = &allocator;
  const absl::Status status = Call("scratch", 1, {}, services);
  if (is_before_0_4_32()) {
    EXPECT_EQ(status, absl::ResourceExhaustedError("no scratch"));  // the headers swallow the rest
    return;
  }
  ASSERT_EQ(status, absl::OkStatus());
  EXPECT_EQ(result_, operand_);
}

// Each call from several threads at once, so that the wrapper changes runtimes in between.
TEST_P(ForeignHandlerTest, ServesSeveralRuntimesAtOnce) {
  XLA_FFI_Handler_Bundle handlers = {};
  handlers.execute = Wrapper("add");
  const Shape shape = Shape::MakeArray(PrimitiveType::kF32, {kSize}).value();
  const std::vector<Shape> shapes(2, shape);
  std::vector<std::thread> threads;
  for (const RuntimeVersion* version : {&runtime(), &kRuntimeVersions[0], &kRuntimeVersions[7]}) {
    threads.emplace_back([&, version] {
      auto instance =
          HandlerInstance::Create(*version, handlers, host::CallFrame(shapes, {&shape, 1}, {}));
      ASSERT_TRUE(instance.ok());
      std::array<float, kSize> a, sum;
      a.fill(1);
      for (int i = 0; i < 200; ++i) {
        sum.fill(0);
        std::array<void*, 2> operands = {a.data(), a.data()};
        void* result = sum.data();
        ASSERT_EQ((*instance)->Execute({absl::MakeSpan(operands), {&result, 1}}), absl::OkStatus());
        ASSERT_THAT(sum, Each(2));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(AllPairs, ForeignHandlerTest,
                         Combine(ValuesIn(OnlyBuilt(kReleases, &Release::name)),
                                 Range(0, kRuntimeVersionCount)),
                         [](const auto& info) {
                           return WithoutDots(absl::StrCat("headers_", std::get<0>(info.param).name,
                                                           "_on_row_", std::get<1>(info.param)));
                         });

// ---- Handlers that need no wrapper

TEST(RecognizeHeadersTest, RefusesHandlersWrittenByHand) {
  XLA_FFI_Handler* by_hand = [](XLA_FFI_CallFrame*) -> XLA_FFI_Error* { return nullptr; };
  EXPECT_EQ(RecognizeHeaders(by_hand).status().code(), absl::StatusCode::kFailedPrecondition);
  XLA_FFI_Handler_Bundle handlers = {};
  handlers.execute = by_hand;
  auto adapted = AdaptHandlers(handlers, Platform::kHost, nullptr);
  ASSERT_TRUE(adapted.ok()) << adapted.status();
  EXPECT_EQ(adapted->execute, by_hand);
}

std::string TableOfNative(bool makes_state) {
  std::string table;
  for (const RuntimeVersion& headers : kRuntimeVersions) {
    for (const RuntimeVersion& runtime : kRuntimeVersions) {
      table += RunsNatively({&headers}, runtime, makes_state) ? '+' : '.';
    }
    table += '\n';
  }
  return table;
}

TEST(RunsAsItIsTest, IsTheMeasuredTable) {
  EXPECT_EQ(TableOfNative(false),
            "..........\n"
            "..........\n"
            "..........\n"
            "..........\n"
            "..........\n"
            "..........\n"
            "......++++\n"
            ".......+++\n"
            "........++\n"
            ".........+\n");
  EXPECT_EQ(TableOfNative(true),
            "..........\n"
            "..........\n"
            "..........\n"
            "..........\n"
            "..........\n"
            "..........\n"
            "......+...\n"
            ".......+++\n"
            "........++\n"
            ".........+\n");
  for (bool makes_state : {false, true}) {
    EXPECT_TRUE(RunsNatively({&typed_ffi::kNewestVersion, true}, kRuntimeVersions[0], makes_state));
  }
}

}  // namespace
}  // namespace callbridge
