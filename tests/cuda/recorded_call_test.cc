#include "callbridge/adapters/recorded_call.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/adapters/cross_version/handler.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/ffi_call.h"
#include "tests/adapters/imitated_headers.h"
#include "tests/adapters/recording_targets.h"
#include "tests/adapters/site_descriptors.h"
#include "tests/cuda/capturing_stream.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge {
namespace {

using cuda::CapturingStream;
using cuda::InProcess;
using cuda::OpenTestDriver;
using testing::HasSubstr;
using testing::StartsWith;

namespace ffi = xla::ffi;

constexpr XLA_FFI_Handler_Traits kNone = 0;
constexpr XLA_FFI_Handler_Traits kCompatible = XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE;
constexpr char kRecordedNothing[] =
    " recorded nothing into the CUDA graph that XLA is capturing; a replay would not write its "
    "results. It works on the default stream, or copies synchronously: use the stream that it is "
    "given, or register it without command_buffer_compatible";
constexpr char kEndedTheCapture[] =
    " did what is forbidden while XLA captures its stream into a CUDA graph, and ended the capture "
    "(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED): it waits for the stream, allocates memory, or the "
    "like. Only submit work to the stream, or register the target without "
    "command_buffer_compatible";

absl::Status RecordedNothing(const std::string& target) {
  return absl::FailedPreconditionError(absl::StrCat(target, kRecordedNothing));
}

// ---- Targets, which do what a test says

std::function<void()> in_the_call;

void InTheCall(Recorded&) {
  if (in_the_call) in_the_call();
}

XLA_FFI_Handler* EntryPoint(Platform platform, XLA_FFI_Handler_Traits traits) {
  Target target = MakeTarget(&GpuStatusTarget, platform, ApiVersion::kStatusReturning);
  target.traits = traits;
  recorded = Recorded();
  recorded.inspect = &InTheCall;
  return GetEntryPoints(target).value().typed;
}

ffi::Error Typed(ffi::RemainingArgs, ffi::RemainingRets) {
  if (in_the_call) in_the_call();
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(kTyped, Typed, ffi::Ffi::Bind().RemainingArgs().RemainingRets());

XLA_FFI_Handler* WithTrait(XLA_FFI_Handler* handler, Platform platform = Platform::kCuda) {
  XLA_FFI_Handler_Bundle handlers = {};
  handlers.execute = handler;
  XLA_FFI_Handler_Traits traits = kCompatible;
  return AdaptHandlers(handlers, platform, &typed_ffi::kNewestVersion, &traits).value().execute;
}

char data[8];

FfiCall Call(const CapturingStream& stream) {
  FfiCall call;
  call.Arg(PrimitiveType::kF32, &data[0]).Ret(PrimitiveType::kF32, &data[4]);
  call.Stream(static_cast<void*>(stream.handle()));
  return call;
}

// What the handlers are called in errors, by the handlers.
std::vector<std::pair<std::string, XLA_FFI_Handler*>> AllHandlers() {
  return {{"custom call \"recording\"", EntryPoint(Platform::kCuda, kCompatible)},
          {"the typed handler ", WithTrait(kTyped)}};
}

// How often the driver is asked while `call` runs.
size_t Questions(const std::function<void()>& call) {
  auto* count = cuda::DriverSymbol<size_t(const char*, const char*)>("standin_calls");
  if (count == nullptr) return 0;  // a real driver
  const size_t before = count("cuStreamGetCaptureInfo_v2", nullptr);
  call();
  return count("cuStreamGetCaptureInfo_v2", nullptr) - before;
}

// ---- What passes

TEST(RecordedCallTest, ATargetThatRecordsItsWorkPasses) {
  InProcess([] {
    OpenTestDriver();
    for (const auto& [name, handler] : AllHandlers()) {
      const CapturingStream stream;
      in_the_call = [&] { stream.Fill(stream.handle()); };
      for (int i = 0; i < 3; ++i) EXPECT_EQ(Call(stream).Call(handler), absl::OkStatus()) << name;
    }
  });
}

TEST(RecordedCallTest, OneQuestionWithoutACaptureAndNoneWithoutTheTrait) {
  InProcess([] {
    cuda::OpenDriver(CUDA_STANDIN);
    const std::unique_ptr<const cuda::Stream> stream =
        *cuda::Stream::Create(*cuda::Device::Open(0));
    in_the_call = nullptr;
    const auto questions = [&](XLA_FFI_Handler* handler) {
      FfiCall call;
      call.Ret(PrimitiveType::kF32, &data[4]).Stream(stream->handle());
      return Questions([&] { EXPECT_EQ(call.Call(handler), absl::OkStatus()); });
    };
    for (const auto& [name, handler] : AllHandlers()) EXPECT_EQ(questions(handler), 1U) << name;
    EXPECT_EQ(questions(EntryPoint(Platform::kCuda, kNone)), 0U);
    EXPECT_EQ(questions(kTyped), 0U);
    for (Platform platform : {Platform::kRocm, Platform::kHost}) {
      EXPECT_EQ(questions(WithTrait(kTyped, platform)), 0U);
    }
    EXPECT_EQ(questions(EntryPoint(Platform::kRocm, kCompatible)), 0U);
  });
}

TEST(RecordedCallTest, OnOtherPlatformsNothingIsChecked) {
  InProcess([] {
    OpenTestDriver();
    const CapturingStream stream;
    in_the_call = nullptr;
    EXPECT_EQ(Call(stream).Call(EntryPoint(Platform::kRocm, kCompatible)), absl::OkStatus());
    EXPECT_EQ(Call(stream).Call(WithTrait(kTyped, Platform::kRocm)), absl::OkStatus());
    EXPECT_EQ(Call(stream).Call(WithTrait(kTyped, Platform::kHost)), absl::OkStatus());
  });
}

TEST(RecordedCallTest, ATargetWithoutTheTraitIsNotChecked) {
  InProcess([] {
    OpenTestDriver();
    const CapturingStream stream;
    in_the_call = nullptr;
    EXPECT_EQ(Call(stream).Call(EntryPoint(Platform::kCuda, kNone)), absl::OkStatus());
    EXPECT_EQ(Call(stream).Call(kTyped), absl::OkStatus());
  });
}

// Nothing is left unwritten.
TEST(RecordedCallTest, WithoutBytesInItsResultsATargetMayRecordNothing) {
  InProcess([] {
    OpenTestDriver();
    in_the_call = nullptr;
    for (const auto& [name, handler] : AllHandlers()) {
      const CapturingStream stream;
      FfiCall none, empty, token, one;
      for (FfiCall* call : {&none, &empty, &token, &one}) {
        call->Stream(static_cast<void*>(stream.handle())).Arg(PrimitiveType::kF32, &data[0]);
      }
      EXPECT_EQ(none.Call(handler), absl::OkStatus()) << name;
      empty.Ret(PrimitiveType::kF32, nullptr, {3, 0}).Ret(PrimitiveType::kS8, nullptr, {0});
      EXPECT_EQ(empty.Call(handler), absl::OkStatus()) << name;
      token.Ret(PrimitiveType::kToken, nullptr);
      EXPECT_EQ(token.Call(handler), absl::OkStatus()) << name;
      one.Ret(PrimitiveType::kF32, nullptr, {3, 0}).Ret(PrimitiveType::kF32, &data[4], {1, 1});
      EXPECT_THAT(one.Call(handler).message(), HasSubstr("recorded nothing")) << name;
    }
  });
}

// ---- What does not

TEST(RecordedCallTest, WorkOnTheDefaultStreamIsAnError) {
  InProcess([] {
    OpenTestDriver();
    for (const auto& [name, handler] : AllHandlers()) {
      const CapturingStream stream;
      in_the_call = [&] { stream.Fill(nullptr); };
      // Also behind what others recorded.
      for (int i = 0; i < 2; ++i) {
        const absl::Status status = Call(stream).Call(handler);
        EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << name;
        EXPECT_THAT(std::string(status.message()),
                    testing::AllOf(StartsWith(name), HasSubstr(kRecordedNothing)));
        stream.Fill(stream.handle());
      }
      in_the_call = [&] { stream.Fill(stream.handle()); };
      EXPECT_EQ(Call(stream).Call(handler), absl::OkStatus()) << "a second try after a failure";
    }
  });
}

TEST(RecordedCallTest, ErrorsNameTheTarget) {
  InProcess([] {
    OpenTestDriver();
    const CapturingStream stream;
    in_the_call = nullptr;
    EXPECT_EQ(Call(stream).Call(EntryPoint(Platform::kCuda, kCompatible)),
              RecordedNothing("custom call \"recording\""));
    // By the symbol that its library exports; this program exports none.
    EXPECT_THAT(std::string(Call(stream).Call(WithTrait(kTyped)).message()),
                testing::MatchesRegex("the typed handler at 0x[0-9a-f]+ of .*_test recorded .*"));
    XLA_FFI_Handler* const foreign =
        reinterpret_cast<XLA_FFI_Handler*>(dlsym(dlopen(EXPORTED_ALONE, RTLD_NOW), "FailAsTold"));
    ASSERT_NE(foreign, nullptr);
    FfiCall call;
    call.Ret(PrimitiveType::kF32, &data[4]).Stream(static_cast<void*>(stream.handle()));
    call.Arg(PrimitiveType::kF32, &data[0]);
    EXPECT_THAT(std::string(call.Call(WithTrait(foreign)).message()),
                StartsWith(absl::StrCat("the typed handler FailAsTold of ", EXPORTED_ALONE)));
  });
}

TEST(RecordedCallTest, ACallWithADescriptorIsCheckedToo) {
  InProcess([] {
    OpenTestDriver();
    const CapturingStream stream;
    XLA_FFI_Handler* const handler = EntryPoint(Platform::kCuda, kCompatible);
    in_the_call = nullptr;
    FfiCall call = Call(stream);
    call.StringAttr(kSiteDescriptorAttribute, Descriptor({"f32[]"}, "f32[]", "scale"));
    EXPECT_EQ(call.Call(handler), RecordedNothing("custom call \"recording\""));
    EXPECT_EQ(recorded.opaque, "scale");
    in_the_call = [&] { stream.Fill(stream.handle()); };
    EXPECT_EQ(call.Call(handler), absl::OkStatus());
  });
}

TEST(RecordedCallTest, EndingTheCaptureIsAnError) {
  InProcess([] {
    OpenTestDriver();
    for (const auto& [name, handler] : AllHandlers()) {
      const CapturingStream stream;
      in_the_call = [&] {
        stream.Fill(stream.handle());
        stream.Wait();
      };
      const absl::Status status = Call(stream).Call(handler);
      EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << name;
      EXPECT_THAT(std::string(status.message()),
                  testing::AllOf(StartsWith(name), HasSubstr(kEndedTheCapture)));
      // It is over for the targets behind it, whose fault it is not.
      in_the_call = nullptr;
      EXPECT_EQ(Call(stream).Call(handler), absl::OkStatus());
    }
  });
}

TEST(RecordedCallTest, AFailureOfTheTargetsOwnIsTheCallsError) {
  InProcess([] {
    OpenTestDriver();
    const CapturingStream stream;
    XLA_FFI_Handler* const handler = EntryPoint(Platform::kCuda, kCompatible);
    const std::string message = "no convergence";
    recorded.failure = &message;
    in_the_call = [&] { stream.Wait(); };
    EXPECT_EQ(Questions([&] {
                EXPECT_EQ(Call(stream).Call(handler).message(),
                          "CustomCall failed: no convergence");
              }),
              cuda::IsSystemDriver() ? 0U : 1U);
  });
}

// The runtime refuses to say the stream.
TEST(RecordedCallTest, WithoutAStreamTheTargetIsNotCalled) {
  InProcess([] {
    OpenTestDriver();
    for (const auto& [name, handler] : AllHandlers()) {
      bool is_called = false;
      in_the_call = [&] { is_called = true; };
      FfiCall call;
      call.Ret(PrimitiveType::kF32, &data[4]).Stream(absl::FailedPreconditionError("no stream"));
      EXPECT_EQ(call.Call(handler), absl::FailedPreconditionError("no stream")) << name;
      EXPECT_FALSE(is_called) << name;
    }
  });
}

// ---- What the driver does not say

TEST(RecordedCallTest, WhatIsUnknownIsNoError) {
  InProcess([] {
    cuda::SetForDriver("CALLBRIDGE_STANDIN_FAIL",
                       "*:cuStreamGetCaptureInfo_v2:1:999,*:cuStreamGetCaptureInfo_v2:3:914,"
                       "*:cuGraphGetNodes:2:999");
    cuda::OpenDriver(CUDA_STANDIN);
    const CapturingStream stream;
    XLA_FFI_Handler* const handler = EntryPoint(Platform::kCuda, kCompatible);
    in_the_call = nullptr;
    for (const char* unknown : {"before", "after", "the nodes before"}) {
      EXPECT_EQ(Call(stream).Call(handler), absl::OkStatus()) << unknown;
    }
    EXPECT_EQ(Call(stream).Call(handler), RecordedNothing("custom call \"recording\""));
  });
}

TEST(RecordedCallTest, WithoutADriverTheTargetIsCalledAllTheSame) {
  InProcess([] {
    if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr) return;  // a machine with a driver
    int calls = 0;
    int stream = 0;
    in_the_call = [&] { ++calls; };
    for (const auto& [name, handler] : AllHandlers()) {
      FfiCall call;
      call.Ret(PrimitiveType::kF32, &data[4]).Stream(&stream);
      EXPECT_EQ(call.Call(handler), absl::OkStatus()) << name;
    }
    EXPECT_EQ(calls, 2);
  });
}

// ---- Which typed handlers are checked

TEST(RecordedCallTest, AHandlerWhoseTraitIsItsOwnIsCheckedByItsWrapper) {
  InProcess([] {
    OpenTestDriver();
    imitated::says.traits = kCompatible;
    XLA_FFI_Handler* const newest = imitated::kHandlers[typed_ffi::kRuntimeVersionCount - 1];
    EXPECT_EQ(WithTrait(newest), newest) << "runs natively";
    const CapturingStream stream;
    for (XLA_FFI_Handler* handler : imitated::kHandlers) {
      XLA_FFI_Handler* const adapted = WithTrait(handler);
      if (adapted == handler) continue;
      imitated::in_the_call = nullptr;
      EXPECT_THAT(Call(stream).Call(adapted).message(), HasSubstr(kRecordedNothing));
      imitated::in_the_call = [&](XLA_FFI_CallFrame*) -> XLA_FFI_Error* {
        stream.Fill(stream.handle());
        return nullptr;
      };
      EXPECT_EQ(Call(stream).Call(adapted), absl::OkStatus());
    }
    // Nothing is asked for the traits: the handler has its own.
    XLA_FFI_Handler_Bundle handlers = {};
    handlers.execute = imitated::kHandlers[2];
    imitated::in_the_call = nullptr;
    const XLA_FFI_Handler_Bundle adapted =
        *AdaptHandlers(handlers, Platform::kCuda, &typed_ffi::kNewestVersion);
    EXPECT_THAT(Call(stream).Call(adapted.execute).message(), HasSubstr(kRecordedNothing));
  });
}

TEST(RecordedCallTest, OtherStagesAreNotChecked) {
  InProcess([] {
    OpenTestDriver();
    const CapturingStream stream;
    XLA_FFI_Handler* const handler = WithTrait(kTyped);
    in_the_call = nullptr;
    for (XLA_FFI_ExecutionStage stage :
         {XLA_FFI_ExecutionStage_INSTANTIATE, XLA_FFI_ExecutionStage_INITIALIZE}) {
      EXPECT_EQ(Questions([&] { Call(stream).Stage(stage).Call(handler).IgnoreError(); }), 0U);
    }
  });
}

// Its work may be recorded until the future is completed.
TEST(RecordedCallTest, ACallThatReturnsAFutureIsNotChecked) {
  InProcess([] {
    OpenTestDriver();
    const CapturingStream stream;
    XLA_FFI_Future future;
    FfiCall call = Call(stream);
    call.With([&](XLA_FFI_CallFrame& frame) { frame.future = &future; });
    in_the_call = nullptr;
    EXPECT_EQ(call.Call(WithTrait(kTyped)), absl::OkStatus());
  });
}

}  // namespace
}  // namespace callbridge
