// The device ordinal that handlers ask for, on runtimes that cannot say it.
#include <cstdint>
#include <string>

#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/cuda/stream.h"
#include "callbridge/typed_ffi/host/api_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/version_three_calls.h"
#include "tests/cuda/test_driver.h"
#include "tests/typed_ffi/call_frame.h"
#include "tests/typed_ffi/fake_runtime.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge {
namespace {

using cuda::CurrentContext;
using cuda::InProcess;
using cuda::OpenTestDriver;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace ffi = xla::ffi;

int32_t seen_ordinal = -1;

ffi::Error SeeOrdinal(int32_t ordinal) {
  seen_ordinal = ordinal;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kSeeOrdinal, SeeOrdinal, ffi::Ffi::Bind().Ctx<ffi::DeviceOrdinal>());

ffi::Error DoNotAsk() { return ffi::Error::Success(); }
XLA_FFI_DEFINE_HANDLER(kDoNotAsk, DoNotAsk, ffi::Ffi::Bind());

// ---- By version 3

std::string CallByVersionThree(XLA_FFI_Handler* handler, Platform platform, void* stream) {
  Target target = TypedTarget(handler);
  target.platform = platform;
  seen_ordinal = -1;
  return Call(target, stream, nullptr, Descriptor(Site({}, "()")));
}

int LastDevice() {
  int count = 0;
  EXPECT_EQ((*cuda::Driver::Get())->device_get_count(&count), absl::OkStatus());
  return count - 1;
}

TEST(DeviceOrdinalTest, ByVersionThreeItIsThatOfTheStream) {
  InProcess([] {
    OpenTestDriver();
    for (int i = LastDevice(); i >= 0; --i) {
      const std::unique_ptr<const cuda::Stream> stream =
          *cuda::Stream::Create(*cuda::Device::Open(i));
      EXPECT_EQ(CallByVersionThree(kSeeOrdinal, Platform::kCuda, stream->handle()), "OK");
      EXPECT_EQ(seen_ordinal, i);
    }
  });
}

TEST(DeviceOrdinalTest, ByVersionThreeADefaultStreamIsOfTheCurrentContext) {
  InProcess([] {
    OpenTestDriver();
    EXPECT_THAT(CallByVersionThree(kSeeOrdinal, Platform::kCuda, nullptr),
                AllOf(StartsWith("UNIMPLEMENTED: "), HasSubstr("cuCtxGetDevice failed"),
                      HasSubstr("CUDA_ERROR_INVALID_CONTEXT")));
    const std::shared_ptr<const cuda::Device> device = *cuda::Device::Open(LastDevice());
    const CurrentContext current(*device);
    EXPECT_EQ(CallByVersionThree(kSeeOrdinal, Platform::kCuda, nullptr), "OK");
    EXPECT_EQ(seen_ordinal, device->ordinal());
  });
}

// Neither on other platforms nor for handlers that do not ask: the driver is not even opened.
TEST(DeviceOrdinalTest, TheDriverIsAskedOnlyOnCudaAndOnlyIfTheHandlerAsks) {
  InProcess([] {
    cuda::SetForDriver("CALLBRIDGE_STANDIN_FAIL", "*:cuDriverGetVersion:1:999");
    OpenTestDriver();
    int stream = 0;
    for (Platform platform : {Platform::kHost, Platform::kRocm}) {
      EXPECT_THAT(CallByVersionThree(kSeeOrdinal, platform, &stream),
                  AllOf(StartsWith("UNIMPLEMENTED: "), Not(HasSubstr("driver"))));
    }
    EXPECT_EQ(CallByVersionThree(kDoNotAsk, Platform::kCuda, &stream), "OK");
    if (cuda::IsSystemDriver()) return;
    EXPECT_THAT(CallByVersionThree(kSeeOrdinal, Platform::kCuda, &stream),
                HasSubstr("nor does the driver say it: cuDriverGetVersion failed"))
        << "the first use of the driver";
  });
}

TEST(DeviceOrdinalTest, WithoutADriverSaysWhatWasLookedFor) {
  InProcess([] {
    if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr) return;  // a machine with a driver
    int stream = 0;
    EXPECT_THAT(CallByVersionThree(kSeeOrdinal, Platform::kCuda, &stream),
                AllOf(StartsWith("UNIMPLEMENTED: "),
                      HasSubstr("XLA FFI device ordinal is not available: the runtime calls this "
                                "handler by custom-call version 3"),
                      HasSubstr("libcuda.so.1")));
  });
}

// ---- By an XLA that has FFI, but not the function

using typed_ffi::testing::FakeRuntime;
using typed_ffi::testing::TakeText;

class OldRuntimeTest : public testing::TestWithParam<int> {
 protected:
  // What the handler's wrapper returns to a runtime of the row, called with `stream`.
  static std::string CallWrapper(void* stream, Platform platform = Platform::kCuda) {
    static auto& runtime = *new FakeRuntime(GetParam());
    runtime.call.stream = stream;
    typed_ffi::testing::CallFrame frame;
    seen_ordinal = -1;
    XLA_FFI_Handler* wrapper = *GetCrossVersionWrapper(kSeeOrdinal, platform);
    return TakeText(wrapper(frame.ForCall(runtime, runtime.version().execute)));
  }
  static bool HasFunction() {
    constexpr auto kOrdinal = static_cast<int>(typed_ffi::ApiFunction::kDeviceOrdinal);
    return typed_ffi::kRuntimeVersions[GetParam()].slots[kOrdinal] != 0;
  }
};

TEST_P(OldRuntimeTest, ItIsThatOfTheStream) {
  InProcess([] {
    OpenTestDriver();
    if (HasFunction()) return;  // it says the ordinal itself
    for (int i = LastDevice(); i >= 0; --i) {
      const std::unique_ptr<const cuda::Stream> stream =
          *cuda::Stream::Create(*cuda::Device::Open(i));
      EXPECT_EQ(CallWrapper(stream->handle()), "");
      EXPECT_EQ(seen_ordinal, i);
      const CurrentContext current(*stream->device());
      EXPECT_EQ(CallWrapper(nullptr), "");
      EXPECT_EQ(seen_ordinal, i);
    }
  });
}

TEST_P(OldRuntimeTest, NotOnTheHost) {
  InProcess([] {
    OpenTestDriver();
    if (HasFunction()) return;  // it says the ordinal itself
    EXPECT_THAT(CallWrapper(nullptr, Platform::kHost),
                AllOf(HasSubstr("XLA_FFI_DeviceOrdinal_Get needs"), Not(HasSubstr("driver"))));
  });
}

TEST_P(OldRuntimeTest, ARuntimeThatHasItSaysItItself) {
  InProcess([] {
    if (!HasFunction()) return;
    static auto& runtime = *new FakeRuntime(GetParam());
    runtime.call.device_ordinal = 72;
    typed_ffi::testing::CallFrame frame;
    XLA_FFI_Handler* wrapper = *GetCrossVersionWrapper(kSeeOrdinal, Platform::kCuda);
    EXPECT_EQ(TakeText(wrapper(frame.ForCall(runtime, runtime.version().execute))), "");
    EXPECT_EQ(seen_ordinal, 72);
  });
}

// A handler that adapts runs natively, except that one that takes the ordinal needs the driver.
TEST_P(OldRuntimeTest, WrapsOnlyHandlersThatTakeTheOrdinal) {
  const typed_ffi::RuntimeVersion& runtime = typed_ffi::kRuntimeVersions[GetParam()];
  const auto is_wrapped = [&](XLA_FFI_Handler* handler, Platform platform,
                              const typed_ffi::RuntimeVersion* on) {
    XLA_FFI_Handler_Bundle handlers = {};
    handlers.execute = handler;
    return AdaptHandlers(handlers, platform, on)->execute != handler;
  };
  EXPECT_EQ(is_wrapped(kSeeOrdinal, Platform::kCuda, &runtime), !HasFunction());
  EXPECT_FALSE(is_wrapped(kSeeOrdinal, Platform::kHost, &runtime));
  EXPECT_FALSE(is_wrapped(kSeeOrdinal, Platform::kRocm, &runtime));
  EXPECT_FALSE(is_wrapped(kSeeOrdinal, Platform::kCuda, nullptr));
  EXPECT_FALSE(is_wrapped(kDoNotAsk, Platform::kCuda, &runtime));
}

INSTANTIATE_TEST_SUITE_P(Rows, OldRuntimeTest, testing::Range(0, typed_ffi::kRuntimeVersionCount));

}  // namespace
}  // namespace callbridge
