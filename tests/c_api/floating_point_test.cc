// The floating-point modes in which typed handlers and their tasks are called: XLA's, whatever the
// caller's, unless the call keeps that.
#include <cfenv>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <vector>

#include "callbridge/callbridge.h"
#include "callbridge/handler_call.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/simple_calls.h"
#include "tests/floating_point_mode.h"
#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;
using testing::Each;
using testing::ElementsAre;

using callbridge::FloatingPointMode;
using callbridge::kDefaultMode;
using callbridge::kXlaMode;

// Changes the mode of this thread while it lives.
class CallersMode {
 public:
  explicit CallersMode(uint32_t mode) { callbridge::SetFloatingPointControl(mode); }
  ~CallersMode() { callbridge::SetFloatingPointControl(saved_); }
  CallersMode(const CallersMode&) = delete;
  CallersMode& operator=(const CallersMode&) = delete;

 private:
  const uint32_t saved_ = callbridge::FloatingPointControl();
};

// Halves each element, in a task of its own.
ffi::Error Halve(F32 x, ffi::Result<F32> y, ffi::ThreadPool threads) {
  std::mutex mutex;
  std::condition_variable changed;
  size_t left = x.element_count();
  for (size_t i = 0; i < x.element_count(); ++i) {
    threads.Schedule([&, from = x.typed_data() + i, to = y->typed_data() + i] {
      volatile float half = 0.5f;  // so that it is computed when the task runs
      *to = half * *from;
      const std::lock_guard<std::mutex> lock(mutex);
      if (--left == 0) changed.notify_one();
    });
  }
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return left == 0; });
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(halve, Halve, ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Ctx<ffi::ThreadPool>());

TEST(FloatingPointTest, TasksDoNotDependOnWhoScheduledFirst) {
  std::vector<float> x(4, std::numeric_limits<float>::min()), y(4, -1);
  const CallersMode mode(kDefaultMode);
  // Starts the process's threads.
  callbridge::HandlerCall call(halve);
  const callbridge::HandlerResult result = call.Arg(x).Ret(y).Run();
  ASSERT_TRUE(result.ok()) << result;
  EXPECT_THAT(y, Each(0.0f)) << "by HandlerCall";

  const callbridge_target target = callbridge::TypedTarget(callbridge::Handlers(halve));
  const char* const shapes[] = {"f32[4]"};
  const callbridge_site site = callbridge::Site(shapes, shapes[0]);
  y.assign(4, -1);
  const callbridge_array operand = {x.data(), 16}, written = {y.data(), 16};
  ASSERT_EQ(callbridge_execute(&target, &site, &operand, 1, &written, 1, nullptr), nullptr);
  EXPECT_THAT(y, Each(0.0f)) << "by callbridge_execute";
}

TEST(FloatingPointTest, TasksRunInTheCallersModeIfItIsKept) {
  std::vector<float> x(4, std::numeric_limits<float>::min()), y(4, -1);
  const callbridge_target target = callbridge::TypedTarget(callbridge::Handlers(halve));
  const char* const shapes[] = {"f32[4]"};
  const callbridge_site site = callbridge::Site(shapes, shapes[0]);
  callbridge_call* call = nullptr;
  ASSERT_EQ(callbridge_call_bind(&target, &site, nullptr, &call), nullptr);
  void* ins[] = {x.data()};
  void* outs[] = {y.data()};
  callbridge_execution_context context = {};
  context.struct_size = sizeof(context);
  context.as_xla_cpu = 1;
  for (int64_t keeps : {1, 0, 1}) {
    y.assign(4, -1);
    context.keeps_floating_point = keeps;
    ASSERT_EQ(callbridge_call_execute(call, ins, 1, outs, 1, &context), nullptr);
    EXPECT_THAT(y, Each(keeps != 0 ? std::numeric_limits<float>::min() / 2 : 0.0f));
  }
  {
    const CallersMode mode(kXlaMode);
    context.keeps_floating_point = 1;
    ASSERT_EQ(callbridge_call_execute(call, ins, 1, outs, 1, &context), nullptr);
  }
  EXPECT_THAT(y, Each(0.0f)) << "the caller's";
  callbridge_call_destroy(call);
}

std::vector<uint32_t> modes;
std::vector<int> roundings;
ffi::Error Stage() {
  modes.push_back(FloatingPointMode());
  roundings.push_back(std::fegetround());  // the x87 unit's
  return ffi::Error::Success();
}
ffi::Error LastStage() {
  ffi::Error error = Stage();
  callbridge::SetFloatingPointControl(kDefaultMode);  // which is not to stay
  return error;
}
XLA_FFI_DEFINE_HANDLER(instantiate, Stage, ffi::Ffi::Bind<ffi::ExecutionStage::kInstantiate>());
XLA_FFI_DEFINE_HANDLER(prepare, Stage, ffi::Ffi::Bind<ffi::ExecutionStage::kPrepare>());
XLA_FFI_DEFINE_HANDLER(initialize, Stage, ffi::Ffi::Bind<ffi::ExecutionStage::kInitialize>());
XLA_FFI_DEFINE_HANDLER(execute, LastStage, ffi::Ffi::Bind());

TEST(FloatingPointTest, HandlerCallUsesXlasModeAtEachStageAndRestoresTheCallers) {
  modes.clear();
  roundings.clear();
  const CallersMode mode(kDefaultMode);
  std::fesetround(FE_UPWARD);
  const uint32_t upward = FloatingPointMode();
  callbridge::HandlerCall call(execute);
  call.Instantiate(instantiate).Prepare(prepare).Initialize(initialize);
  const callbridge::HandlerResult result = call.Run();
  const uint32_t after = FloatingPointMode();
  const int rounding = std::fegetround();
  std::fesetround(FE_TONEAREST);
  ASSERT_TRUE(result.ok()) << result;
  EXPECT_THAT(modes, ElementsAre(kXlaMode, kXlaMode, kXlaMode, kXlaMode));
  EXPECT_THAT(roundings, Each(FE_TONEAREST));
  EXPECT_EQ(after, upward);
  EXPECT_EQ(rounding, FE_UPWARD);
}

#if defined(__x86_64__)  // elsewhere few machines can trap
// XLA leaves it to the caller which exceptions trap.
TEST(FloatingPointTest, HandlerCallLeavesTheCallersTraps) {
  modes.clear();
  const CallersMode mode(0x1d80);  // division by zero traps
  EXPECT_TRUE(callbridge::HandlerCall(execute).Run().ok());
  EXPECT_THAT(modes, ElementsAre(0x9dc0));
}
#endif

}  // namespace
