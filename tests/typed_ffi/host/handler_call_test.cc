// HandlerCall and the C API below it, with handlers built with the genuine headers.
#include "callbridge/handler_call.h"

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <complex>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/built_releases.h"

namespace callbridge {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// As the genuine c_api.h declares them; HandlerCall takes whatever these are.
struct Error;
struct Frame;
using Handler = Error*(Frame*);

struct TypeId {
  int64_t type_id = 0;
};

class HandlerCallTest : public ::testing::Test {
 protected:
  static void* Open(const std::string& release) {
    const std::string path = GENUINE_HANDLERS "/genuine_handlers_" + release + ".so";
    if (access(path.c_str(), R_OK) != 0) return nullptr;
    return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  void SetUp() override {
    const std::string newest = BuiltReleases().back();
    library_ = Open(newest);
    if (library_ == nullptr) {
      GTEST_SKIP() << "genuine_handlers_" << newest
                   << ".so was not built: scripts/ffi_headers fetches XLA's headers";
    }
  }
  template <typename Function = Handler>
  Function* Get(const char* name) {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }
  TypeId& CountedId() {
    TypeId& id = *Get<TypeId*()>("CountedId")();
    if (id.type_id == 0) RegisterHandlerType("Counted", &id, Get<void(void*)>("DeleteCounted"));
    return id;
  }

  void* library_ = nullptr;
};

TEST_F(HandlerCallTest, CallsAHandler) {
  const std::vector<float> x = {1, 2, 3, 4}, y = {5, 6, 7, 8};
  std::vector<float> sum(4);
  HandlerCall call(Get("Add"));
  call.Arg(x).Arg(y, {4}).Ret(sum).Attr("scale", 2.0f);
  const HandlerResult result = call.Run();
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_THAT(sum, ElementsAre(12, 16, 20, 24));
}

TEST_F(HandlerCallTest, TellsErrors) {
  HandlerResult result = HandlerCall(Get("Fail")).Run();
  EXPECT_EQ(result.code_name(), "INVALID_ARGUMENT");
  EXPECT_EQ(result.message(), "as asked");
  EXPECT_EQ(::testing::PrintToString(result), "INVALID_ARGUMENT: as asked");
  EXPECT_EQ(::testing::PrintToString(HandlerResult()), "OK");
}

TEST_F(HandlerCallTest, PassesAttributesOfEveryKind) {
  HandlerCall call(Get("Attributes"));
  call.Attr("b", true)
      .Attr("i8", int8_t{-8})
      .Attr("i32", -32)
      .Attr("i64", -(int64_t{1} << 40))
      .Attr("u8", uint8_t{200})
      .Attr("u64", uint64_t{1} << 63)
      .Attr("f32", 0.5f)
      .Attr("f64", 0.25)
      .Attr("c64", std::complex<float>(1, -1))
      .Attr("text", std::string("a\0b", 3))
      .Attr("array", std::vector<int64_t>{10, 20, 30})
      .Attr("empty", std::vector<float>())
      .Attr("dictionary",
            HandlerAttributes().Set("n", 7).Set("inner", HandlerAttributes().Set("x", 1.5f)));
  HandlerResult result = call.Run();
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_EQ(call.Attr("text", "other").Run().message(), "wrong: text");
}

TEST_F(HandlerCallTest, KeepsStateBetweenRuns) {
  const int* const alive = Get<int*()>("Alive")();
  CountedId();
  {
    int32_t out = 0;
    HandlerCall call(Get("Staged"));
    call.Instantiate(Get("Instantiate")).Prepare(Get("Prepare")).Initialize(Get("Initialize"));
    call.Ret(out).Attr("start", 1);
    HandlerResult result = call.Run();
    EXPECT_TRUE(result.ok()) << result;
    EXPECT_EQ(out, 111011001);
    EXPECT_TRUE(call.Run().ok());
    EXPECT_EQ(out, 112012002);
    EXPECT_EQ(*alive, 1);
    EXPECT_EQ(call.Attr("start", -1).Run().code_name(), "OUT_OF_RANGE");
  }
  EXPECT_EQ(*alive, 0);
}

TEST_F(HandlerCallTest, LendsWhatItIsTold) {
  int64_t out = 0;
  HandlerCall stream(Get("Stream"));
  stream.Ret(out);
  EXPECT_THAT(stream.Run().message(), HasSubstr("stream is not available"));
  EXPECT_TRUE(stream.Stream(reinterpret_cast<void*>(0x77)).Run().ok());
  EXPECT_EQ(out, 0x77);

  HandlerCall numbers(Get("Numbers"));
  numbers.Ret(out);
  EXPECT_TRUE(numbers.Run().ok());
  EXPECT_EQ(out % 1000, 0);
  EXPECT_TRUE(numbers.RunId(5).DeviceOrdinal(3).Run().ok());
  EXPECT_EQ(out, 5003);
  EXPECT_THAT(numbers.ProvideNothing().Run().message(), HasSubstr("run id is not available"));

  HandlerCall threads(Get("NumThreads"));
  EXPECT_TRUE(threads.Ret(out).Run().ok());
  EXPECT_GE(out, 2);

  EXPECT_FALSE(HandlerCall(Get("Scratch")).Run().ok());
  EXPECT_TRUE(HandlerCall(Get("Scratch")).Scratch().Run().ok());

  int32_t value = 0;
  void* counted = Get<void*(int32_t)>("NewCounted")(8);
  EXPECT_TRUE(HandlerCall(Get("User")).Ret(value).UserData(CountedId(), counted).Run().ok());
  EXPECT_EQ(value, 8);
  Get<void(void*)>("DeleteCounted")(counted);

  EXPECT_TRUE(HandlerCall(Get("Options")).Ret(value).Option("n", 9).Run().ok());
  EXPECT_EQ(value, 9);
}

TEST_F(HandlerCallTest, WaitsForFutures) {
  int32_t out = 0;
  for (const char* how : {"later", "before"}) {
    out = 0;
    HandlerCall call(Get("Async"));
    HandlerResult result = call.Ret(out).Attr("how", how).Run();
    EXPECT_TRUE(result.ok()) << result;
    EXPECT_EQ(out, 42);
  }
  HandlerCall fails(Get("Async"));
  EXPECT_EQ(fails.Ret(out).Attr("how", "error").Run().code_name(), "DATA_LOSS");
}

#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif
#if !__has_feature(address_sanitizer)  // a future that is never completed leaks, as documented
TEST_F(HandlerCallTest, StopsWaiting) {
  static int32_t out = 0;
  HandlerCall call(Get("Async"));
  call.Ret(out).Attr("how", "never").Timeout(std::chrono::milliseconds(20));
  HandlerResult result = call.Run();
  EXPECT_EQ(result.code_name(), "DEADLINE_EXCEEDED");
  EXPECT_THAT(result.message(), HasSubstr("in 20 ms"));
}
#endif

// Runs one task, when it is told to; a task that nobody asks for in time runs by itself.
struct LateThread {
  static void Schedule(void* user, void (*task)(void*), void* data) {
    auto& self = *static_cast<LateThread*>(user);
    self.thread = std::thread([&self, task, data] {
      std::unique_lock<std::mutex> lock(self.mutex);
      self.changed.wait_for(lock, std::chrono::seconds(10), [&] { return self.may_run; });
      task(data);
    });
  }
  void Run() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      may_run = true;
    }
    changed.notify_one();
    thread.join();
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool may_run = false;
  std::thread thread;
};

TEST_F(HandlerCallTest, LooksOnceWithoutTime) {
  int32_t out = 0;
  for (const char* how : {"later", "error"}) {  // an error that comes when nobody waits is freed
    LateThread late;
    const callbridge_ffi_thread_pool pool = {sizeof(pool), &late, &LateThread::Schedule,
                                             [](void*) -> int64_t { return 1; }};
    HandlerCall pending(Get("Async"));
    pending.Ret(out).Attr("how", how).ThreadPool(pool).Timeout(std::chrono::milliseconds(0));
    const HandlerResult result = pending.Run();
    late.Run();
    EXPECT_EQ(result.code_name(), "DEADLINE_EXCEEDED");
    EXPECT_THAT(result.message(), HasSubstr("in 0 ms"));
  }
  HandlerCall done(Get("Async"));
  done.Ret(out).Attr("how", "before").Timeout(std::chrono::milliseconds(0));
  EXPECT_EQ(done.Run().code_name(), "OK");
}

TEST_F(HandlerCallTest, ImitatesOtherReleases) {
  const std::vector<float> x = {1}, y = {2};
  std::vector<float> sum(1);
  for (const std::string& release : BuiltReleases()) {
    void* library = Open(release);
    ASSERT_NE(library, nullptr) << release;
    HandlerCall call(reinterpret_cast<Handler*>(dlsym(library, "Add")));
    sum = {0};
    HandlerResult result = call.OnJaxlib(release).Arg(x).Arg(y).Ret(sum).Attr("scale", 1.f).Run();
    EXPECT_TRUE(result.ok()) << release << ": " << result;
    EXPECT_EQ(sum[0], 3) << release;
  }
  HandlerCall too_new(Get("Add"));
  HandlerResult result = too_new.OnJaxlib("0.4.38").Run();
  EXPECT_EQ(result.code_name(), "INVALID_ARGUMENT");
  EXPECT_THAT(result.message(), HasSubstr("(0.5) does not match"));
  EXPECT_EQ(too_new.OnJaxlib("0.3").Run().code_name(), "INVALID_ARGUMENT");
}

TEST_F(HandlerCallTest, FindsWhatRegisteredItself) {
  auto* registers = Get<Error*(const XLA_FFI_Api*, const char*)>("RegisterAdd");
  ASSERT_EQ(registers(callbridge_xla_ffi_api(), "own_add"), nullptr);
  const std::vector<float> x = {1}, y = {2};
  std::vector<float> sum(1);
  HandlerCall call = HandlerCall::Registered("own_add", "cpu");
  HandlerResult result = call.Arg(x).Arg(y).Ret(sum).Attr("scale", 1.f).Run();
  EXPECT_TRUE(result.ok()) << result;
  EXPECT_THROW(HandlerCall::Registered("nobody"), HandlerCallError);

  std::vector<std::string> names;
  EXPECT_EQ(callbridge_ffi_visit_handlers(
                [](void* user, const char* name, const char* platform,
                   const callbridge_ffi_handlers* handlers, uint32_t traits) {
                  EXPECT_STREQ(platform, "Host");
                  EXPECT_NE(handlers->execute, nullptr);
                  EXPECT_EQ(traits, 0u);
                  static_cast<std::vector<std::string>*>(user)->push_back(name);
                },
                &names),
            nullptr);
  EXPECT_THAT(names, ::testing::Contains("own_add"));
}

TEST_F(HandlerCallTest, SaysWhatMakesNoSense) {
  const std::vector<float> x = {1, 2, 3};
  HandlerCall call(Get("Add"));
  EXPECT_THROW(call.Arg(x, {2, 2}), HandlerCallError);
  EXPECT_EQ(call.Arg("float[2]", x.data()).Run().code_name(), "INVALID_ARGUMENT");
  callbridge_target target = {};
  callbridge_site site = {};
  callbridge_call* made = nullptr;
  HandlerResult small(callbridge_call_bind(&target, &site, nullptr, &made));
  EXPECT_THAT(small.message(), HasSubstr("struct_size"));
  EXPECT_EQ(made, nullptr);
}

}  // namespace
}  // namespace callbridge
