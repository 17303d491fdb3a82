// Calls that are bound once: started and waited for, and the release that a typed target sees.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "callbridge/callbridge.h"
#include "callbridge/callbridge_ffi.h"
#include "callbridge/status_returning/custom_call_status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "tests/c_api/simple_calls.h"
#include "tests/c_api/waiting_handler.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge {
namespace {

namespace ffi = xla::ffi;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void Throw(void*, const void**) { throw 42; }

// Notes how a run ended.
struct Told {
  static void Done(void* user, callbridge_error* error) {
    auto& told = *static_cast<Told*>(user);
    told.text = ErrorText(error);
    ++told.times;
  }
  std::string text = "not yet";
  std::atomic<int> times{0};
};

callbridge_call* Bind(const callbridge_target& target, const callbridge_site& site,
                      const callbridge_execution_context* context = nullptr) {
  callbridge_call* call = nullptr;
  EXPECT_EQ(ErrorText(callbridge_call_bind(&target, &site, context, &call)), "OK");
  return call;
}

TEST(StartTest, UntypedTargetsAreDoneAtOnce) {
  callbridge_call* call = Bind(OriginalTarget(), CopySite());
  int32_t in = 42, out = 0;
  void* operands[] = {&in};
  void* results[] = {&out};
  Told told;
  callbridge_run* run = nullptr;
  EXPECT_EQ(ErrorText(callbridge_call_start(call, operands, 1, results, 1, nullptr, &Told::Done,
                                            &told, &run)),
            "OK");
  callbridge_call_destroy(call);
  EXPECT_EQ(told.text, "OK");
  EXPECT_EQ(out, 42);
  EXPECT_EQ(ErrorText(callbridge_run_wait(run, 0)), "OK");
  callbridge_run_destroy(run);
}

// A target that destroys the call that it is called by, as another thread may while it runs, and
// then copies its opaque and fails.
callbridge_call* destroyed_in_its_run = nullptr;

void DestroyItsCall(void* out, const void**, const char* opaque, size_t size,
                    XlaCustomCallStatus* status) {
  callbridge_call_destroy(destroyed_in_its_run);
  std::copy_n(opaque, size, static_cast<char*>(out));
  XlaCustomCallStatusSetFailure(status, opaque, size);
}

TEST(StartTest, ACallMayBeDestroyedInItsRun) {
  callbridge_target target = OriginalTarget(nullptr, "destroys its call");
  target.api_version = CALLBRIDGE_API_VERSION_STATUS_RETURNING_UNIFIED;
  target.address = reinterpret_cast<void*>(&DestroyItsCall);
  const std::string opaque = "longer than a string holds in itself";
  const std::string result = "s8[" + std::to_string(opaque.size()) + "]";
  callbridge_site site = ResultSite(result.c_str());
  site.opaque = opaque.data();
  site.opaque_size = opaque.size();
  destroyed_in_its_run = Bind(target, site);
  std::string out(opaque.size(), ' ');
  void* results[] = {out.data()};
  Told told;
  callbridge_run* run = nullptr;
  EXPECT_EQ(ErrorText(callbridge_call_start(destroyed_in_its_run, nullptr, 0, results, 1, nullptr,
                                            &Told::Done, &told, &run)),
            "OK");
  EXPECT_EQ(told.text, "INTERNAL: CustomCall failed: " + opaque);
  EXPECT_EQ(ErrorText(callbridge_run_wait(run, 0)), told.text);
  EXPECT_EQ(out, opaque);
  callbridge_run_destroy(run);
}

TEST(StartTest, ErrorsGoToBothEachTimeAnew) {
  callbridge_call* call = Bind(OriginalTarget(&Throw), ResultSite("()"));
  Told told;
  callbridge_run* run = nullptr;
  EXPECT_EQ(ErrorText(callbridge_call_start(call, nullptr, 0, nullptr, 0, nullptr, &Told::Done,
                                            &told, &run)),
            "OK");
  EXPECT_THAT(told.text, StartsWith("INTERNAL: CustomCall failed: "));
  EXPECT_EQ(told.times, 1);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(ErrorText(callbridge_run_wait(run, -1)), told.text);
  callbridge_run_destroy(run);
  // Nobody needs to listen.
  EXPECT_EQ(ErrorText(callbridge_call_start(call, nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr,
                                            nullptr)),
            "OK");
  callbridge_call_destroy(call);
}

TEST(StartTest, AWrongNumberOfBuffersIsTheRunsError) {
  callbridge_call* call = Bind(OriginalTarget(), CopySite());
  Told told;
  EXPECT_EQ(ErrorText(callbridge_call_start(call, nullptr, 0, nullptr, 0, nullptr, &Told::Done,
                                            &told, nullptr)),
            "OK");
  EXPECT_THAT(told.text, StartsWith("INVALID_ARGUMENT: "));
  callbridge_call_destroy(call);
}

// ---- Futures

callbridge_target Typed(XLA_FFI_Handler* handler) { return TypedTarget(Handlers(handler)); }

callbridge_execution_context AsXlaCpu() {
  callbridge_execution_context context = {};
  context.struct_size = sizeof(context);
  context.as_xla_cpu = 1;
  return context;
}

TEST(StartTest, WaitsForFuturesAsLongAsItIsTold) {
  may_end = false;
  callbridge_call* call = Bind(Typed(when_it_may), ResultSite("s32[]"));
  const callbridge_execution_context context = AsXlaCpu();
  int32_t out = 0;
  void* results[] = {&out};
  Told told;
  callbridge_run* run = nullptr;
  EXPECT_EQ(ErrorText(callbridge_call_start(call, nullptr, 0, results, 1, &context, &Told::Done,
                                            &told, &run)),
            "OK");
  callbridge_call_destroy(call);
  for (int64_t timeout : {0, 1}) {
    EXPECT_EQ(ErrorText(callbridge_run_wait(run, timeout)),
              "DEADLINE_EXCEEDED: the handler returned a future and has not completed it in " +
                  std::to_string(timeout) + " ms");
  }
  EXPECT_EQ(told.times, 0);
  may_end = true;
  EXPECT_EQ(ErrorText(callbridge_run_wait(run, -1)), "OK");
  EXPECT_EQ(told.times, 1) << "the waiting ends when `done` has returned";
  EXPECT_EQ(told.text, "OK");
  EXPECT_EQ(out, 42);
  callbridge_run_destroy(run);
}

TEST(StartTest, ExecuteWaitsForFutures) {
  may_end = true;
  callbridge_call* call = Bind(Typed(when_it_may), ResultSite("s32[]"));
  const callbridge_execution_context context = AsXlaCpu();
  int32_t out = 0;
  void* results[] = {&out};
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, nullptr, 0, results, 1, &context)), "OK");
  EXPECT_EQ(out, 42);
  callbridge_call_destroy(call);
}

// ---- Several results, and what INSTANTIATE is provided

ffi::Error Two(ffi::ResultBuffer<ffi::S32> one, ffi::ResultBuffer<ffi::S32> two) {
  *one->typed_data() = 1;
  *two->typed_data() = 2;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(two, Two,
                       ffi::Ffi::Bind().Ret<ffi::Buffer<ffi::S32>>().Ret<ffi::Buffer<ffi::S32>>());

TEST(CallTest, TuplesAreTypedTargetsResults) {
  callbridge_call* call = Bind(Typed(two), ResultSite("(s32[],s32[])"));
  int32_t out[2] = {};
  void* results[] = {&out[0], &out[1]};
  EXPECT_EQ(ErrorText(callbridge_call_execute(call, nullptr, 0, results, 2, nullptr)), "OK");
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 2);
  callbridge_call_destroy(call);
}

// What callbridge_call_execute_unchecked says of `site`'s call of `target`.
std::string SaidUnchecked(const callbridge_target& target, const callbridge_site& site,
                          void** operands, void** results) {
  callbridge_call* call = Bind(target, site);
  std::string said = ErrorText(callbridge_call_execute_unchecked(call, operands, results));
  callbridge_call_destroy(call);
  return said;
}

TEST(UncheckedTest, DoesWhatExecuteDoes) {
  int32_t in = 7;
  int32_t out[2] = {};
  void* operands[] = {&in};
  void* results[] = {&out[0], &out[1]};
  EXPECT_EQ(SaidUnchecked(OriginalTarget(), CopySite(), operands, results), "OK");
  EXPECT_EQ(out[0], 7);
  EXPECT_EQ(SaidUnchecked(Typed(two), ResultSite("(s32[],s32[])"), nullptr, results), "OK");
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 2);
  EXPECT_THAT(SaidUnchecked(OriginalTarget(&Throw, "throw"), CopySite(), operands, results),
              StartsWith("INTERNAL: CustomCall failed: the target threw "));
}

XLA_FFI_Error* AskForTheDevice(XLA_FFI_CallFrame* frame) {
  if (frame->ctx == nullptr) return nullptr;  // asked what it is
  XLA_FFI_DeviceOrdinal_Get_Args args = {sizeof(args), nullptr, frame->ctx, 0};
  return frame->api->XLA_FFI_DeviceOrdinal_Get(&args);
}

TEST(CallTest, InstantiateIsLentTheContext) {
  callbridge_target target = Typed(two);
  target.instantiate = reinterpret_cast<void*>(&AskForTheDevice);
  const callbridge_site site = ResultSite("(s32[],s32[])");
  callbridge_call* call = nullptr;
  EXPECT_THAT(ErrorText(callbridge_call_bind(&target, &site, nullptr, &call)),
              HasSubstr("device ordinal is not available"));
  EXPECT_EQ(call, nullptr);
  const callbridge_execution_context as_xla_cpu = AsXlaCpu();
  callbridge_call_destroy(Bind(target, site, &as_xla_cpu));
  const int32_t ordinal = 3;
  callbridge_runtime_services services = NoServices();
  services.device_ordinal = &ordinal;
  const callbridge_execution_context context = Lending(services);
  callbridge_call_destroy(Bind(target, site, &context));
  services.struct_size = 8;
  EXPECT_THAT(ErrorText(callbridge_call_bind(&target, &site, &context, &call)),
              StartsWith("INVALID_ARGUMENT: callbridge_runtime_services.struct_size is 8"));
}

// ---- Releases

TEST(ReleaseTest, IsOneThatIsKnownAndRunsTheHandler) {
  const callbridge_target target = Typed(when_it_may);
  callbridge_site site = ResultSite("s32[]");
  const auto bind = [&](const char* release) {
    site.release = release;
    callbridge_call* call = nullptr;
    std::string text = ErrorText(callbridge_call_bind(&target, &site, nullptr, &call));
    callbridge_call_destroy(call);
    return text;
  };
  EXPECT_EQ(bind(nullptr), "OK");
  EXPECT_EQ(bind(""), "OK");
  EXPECT_EQ(bind("newest"), "OK");
  EXPECT_EQ(bind("0.10.2"), "OK");
  EXPECT_THAT(bind("0.4.29"), StartsWith("INVALID_ARGUMENT: "));
  EXPECT_THAT(bind("latest"), StartsWith("INVALID_ARGUMENT: \"latest\" is no release of jaxlib"));
}

TEST(ReleaseTest, IsForTypedTargets) {
  const callbridge_target target = OriginalTarget();
  callbridge_site site = CopySite();
  site.release = "0.10.2";
  callbridge_call* call = nullptr;
  EXPECT_EQ(
      ErrorText(callbridge_call_bind(&target, &site, nullptr, &call)),
      "INVALID_ARGUMENT: the call site names the release \"0.10.2\", but custom call \"copy\" "
      "is untyped, and all releases call it alike: leave the release out");
}

}  // namespace
}  // namespace callbridge
