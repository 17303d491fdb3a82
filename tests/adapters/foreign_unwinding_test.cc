// Functions that leave by what is no C++ exception: exceptions of other languages, a thread's end.
// In every place where targets, handlers and their deleters are called.
#include <pthread.h>

#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "callbridge/abi/failure_status.h"
#include "callbridge/adapters/bind.h"
#include "callbridge/adapters/entry_points/entry_points.h"
#include "callbridge/adapters/target_abis.h"
#include "callbridge/export.h"
#include "callbridge/status_returning/custom_call_status_internal.h"
#include "callbridge/typed_ffi/host/handler_state.h"
#include "callbridge/typed_ffi/host/thread_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/cross_version_call_fixture.h"
#include "tests/adapters/ffi_call.h"
#include "tests/adapters/site_descriptors.h"
#include "tests/adapters/version_three_calls.h"
#include "tests/foreign_exception.h"
#include "xla/ffi/api/ffi.h"

namespace {

std::function<void()> leave;  // what each function below does

struct LeavingState {};
void LeaveOriginal(void* /*out*/, const void** /*in*/) { leave(); }
void LeaveStatus(void* /*out*/, const void** /*in*/, XlaCustomCallStatus* /*status*/) { leave(); }
void LeaveUnified(void* /*out*/, const void** /*in*/, const char* /*opaque*/, size_t /*opaque_len*/,
                  XlaCustomCallStatus* /*status*/) {
  leave();
}
void LeaveGpu(void* /*stream*/, void** /*buffers*/, const char* /*opaque*/, size_t /*opaque_len*/) {
  leave();
}
void LeaveGpuStatus(void* /*stream*/, void** /*buffers*/, const char* /*opaque*/,
                    size_t /*opaque_len*/, XlaCustomCallStatus* /*status*/) {
  leave();
}
std::unique_ptr<LeavingState> LeaveMaking(const char* /*opaque*/, size_t /*opaque_len*/) {
  leave();
  return nullptr;
}
void NeverCalled(LeavingState& /*state*/, void* /*out*/, const void** /*in*/) {}
xla::ffi::Error LeaveBound() {
  leave();
  return xla::ffi::Error::Success();
}

}  // namespace

CALLBRIDGE_EXPORT(LeavingOriginal, LeaveOriginal);
CALLBRIDGE_EXPORT(LeavingStatus, LeaveStatus);
CALLBRIDGE_EXPORT(LeavingUnified, LeaveUnified);
CALLBRIDGE_EXPORT(LeavingGpu, LeaveGpu);
CALLBRIDGE_EXPORT(LeavingOfShapes, LeaveOriginal, callbridge::ExportOptions().Shapes("-> f32[]"));
CALLBRIDGE_EXPORT(LeavingInTheMaker, NeverCalled,
                  callbridge::ExportOptions().State<&LeaveMaking>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(LeavingBound, LeaveBound, xla::ffi::Ffi::Bind());
CALLBRIDGE_EXPORT_UNTYPED(LeavingUntyped, LeavingOriginal,
                          callbridge::ExportOptions().Shapes("-> f32[]"));

namespace callbridge {
namespace {

using ::testing::HasSubstr;

constexpr char kEnded[] = "a custom call's function ended its thread";

float value;

// ---- Who calls ----

// A function of type void() that calls one of the functions above, and its result as a text.
struct Place {
  std::string name;
  bool is_of_xla;  // whether XLA calls there, whose threads must not end
  std::function<std::string()> call;
};

template <typename Function>
Target TargetOf(Function* function, Platform platform, ApiVersion version, bool proved) {
  return {"leaves", platform, version, proved, reinterpret_cast<void*>(function)};
}

std::vector<Target> UntypedTargets() {
  constexpr auto kOriginal = ApiVersion::kOriginal;
  constexpr auto kStatus = ApiVersion::kStatusReturning;
  constexpr auto kUnified = ApiVersion::kStatusReturningUnified;
  return {TargetOf(&LeaveOriginal, Platform::kHost, kOriginal, true),
          TargetOf(&LeaveOriginal, Platform::kHost, kOriginal, false),
          TargetOf(&LeaveStatus, Platform::kHost, kStatus, true),
          TargetOf(&LeaveUnified, Platform::kHost, kUnified, true),
          TargetOf(&LeaveGpu, Platform::kCuda, kOriginal, true),
          TargetOf(&LeaveGpuStatus, Platform::kCuda, kStatus, true),
          TargetOf(&LeaveGpuStatus, Platform::kCuda, kUnified, true)};
}

std::string Executed(const Target& target, const char* result) {
  CallSite site;
  site.platform = target.platform;
  site.result = ParseShape(result).value();
  absl::StatusOr<BoundCall> call = Bind(site, target);
  if (!call.ok()) return call.status().ToString();
  void* results[] = {&value, &value};
  const size_t count = site.result.LeafCount();
  return call->Execute({{}, {results, count}}, {}).ToString();
}

std::string CalledUntyped(const void* function, const std::string& opaque) {
  XlaCustomCallStatus status;
  void* pointers[] = {&value};
  reinterpret_cast<void (*)(void*, void**, const char*, size_t, XlaCustomCallStatus*)>(
      const_cast<void*>(function))(&value, pointers, opaque.data(), opaque.size(), &status);
  return status.message.value_or("OK");
}

// Has XLA call: its API table leads to its internal API.
void CallAsXla(XLA_FFI_CallFrame& frame) {
  static auto& tables = *new std::vector<std::unique_ptr<XLA_FFI_Api>>;
  XLA_FFI_Api* const table = tables.emplace_back(std::make_unique<XLA_FFI_Api>()).get();
  std::memcpy(table, frame.api, frame.api->struct_size);
  table->internal_api = reinterpret_cast<XLA_FFI_InternalApi*>(table);
  frame.api = table;
}

std::string CalledTyped(XLA_FFI_Handler* handler, bool described, bool by_xla) {
  FfiCall call;
  call.Ret(PrimitiveType::kF32, &value);
  if (described) call.ArrayAttr("callbridge_site", Descriptor({}, "(f32[])"));
  if (by_xla) call.With(&CallAsXla);
  return call.Call(handler).ToString();
}

std::vector<Place> Places() {
  std::vector<Place> places;
  for (const Target& target : UntypedTargets()) {
    const std::string abi = std::string(ApiVersionName(target.api_version)) +
                            (target.api_version_is_proved ? ", proved, " : ", declared, ") +
                            std::string(PlatformName(target.platform));
    for (const char* result : {"f32[]", "(f32[],(f32[]))"}) {
      places.push_back(
          {"Execute, " + abi + " " + result, false, [=] { return Executed(target, result); }});
    }
    const EntryPoints points = GetEntryPoints(target).value();
    for (const bool described : {false, true}) {
      const std::string opaque = described ? Descriptor({}, "(f32[])") : "";
      const std::string how = abi + (described ? ", described" : "");
      places.push_back(
          {"untyped entry, " + how, true, [=] { return CalledUntyped(points.untyped, opaque); }});
      places.push_back({"typed entry, " + how, true,
                        [=] { return CalledTyped(points.typed, described, /*by_xla=*/true); }});
    }
  }
  const std::pair<const char*, XLA_FFI_Handler*> handlers[] = {
      {"exported, original", &LeavingOriginal},  {"exported, status", &LeavingStatus},
      {"exported, unified", &LeavingUnified},    {"exported, GPU", &LeavingGpu},
      {"exported, of shapes", &LeavingOfShapes}, {"binding", &LeavingBound}};
  for (const auto& [name, handler] : handlers) {
    for (const bool by_xla : {false, true}) {
      places.push_back({std::string(name) + (by_xla ? ", in XLA" : ", elsewhere"), by_xla,
                        [handler = handler, by_xla] {
                          return CalledTyped(handler, /*described=*/false, by_xla);
                        }});
    }
  }
  places.push_back({"a state's maker", true, [] {
                      FfiCall call;
                      return call.Stage(XLA_FFI_ExecutionStage_INSTANTIATE)
                          .With(&CallAsXla)
                          .Call(&LeavingInTheMaker)
                          .ToString();
                    }});
  const Target typed = {"leaves", Platform::kHost, ApiVersion::kTypedFfi, true,
                        reinterpret_cast<void*>(&LeavingBound)};
  places.push_back({"Execute, typed", false, [=] { return Executed(typed, "()"); }});
  places.push_back({"untyped entry of a typed target", true, [=] {
                      const EntryPoints points = GetEntryPoints(typed).value();
                      return CalledUntyped(points.untyped, Descriptor(Site({}, "()")));
                    }});
  places.push_back({"untyped function of a typed handler", false, [] {
                      return CalledUntyped(reinterpret_cast<const void*>(&LeavingUntyped), "");
                    }});
  return places;
}

// ---- Exceptions of other languages ----

TEST(ForeignUnwindingTest, ExceptionsOfOtherLanguagesAreErrors) {
  for (const Place& place : Places()) {
    for (const ForeignLanguage& language : kForeignLanguages) {
      foreign_exceptions_deleted = 0;
      leave = [&] { RaiseForeign(language); };
      EXPECT_THAT(place.call(), HasSubstr(std::string(" threw ") + language.text)) << place.name;
      EXPECT_EQ(foreign_exceptions_deleted, language.is_deleted ? 1 : 0) << place.name;
    }
    leave = [] { throw std::runtime_error("boom"); };
    EXPECT_THAT(place.call(), HasSubstr(" threw std::runtime_error: boom")) << place.name;
  }
}

TEST(ForeignUnwindingTest, SoAreThoseThatCallbacksThrow) {
  for (const ForeignLanguage& language : kForeignLanguages) {
    try {
      RaiseForeign(language);
    } catch (...) {
      EXPECT_EQ(CaughtStatus(), absl::InternalError(std::string("threw ") + language.text));
    }
  }
}

TEST(ForeignUnwindingTest, DeletersOfStatesDropThem) {
  for (const ForeignLanguage& language : kForeignLanguages) {
    leave = [&] { RaiseForeign(language); };
    host::HandlerState state;
    ASSERT_TRUE(state.Set({1}, nullptr, [](void*) { leave(); }).ok());
  }
}

// ---- A thread's end ----

void EndThread() { pthread_exit(&value); }
void CancelThread() {
  pthread_cancel(pthread_self());
  pthread_testcancel();
}

// Returns what a thread that runs `body` returns to who joins it.
void* ResultOfThread(std::function<void()> body) {
  pthread_t thread;
  const auto run = [](void* function) -> void* {
    (*static_cast<std::function<void()>*>(function))();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, nullptr, +run, &body), 0);
  void* result = nullptr;
  EXPECT_EQ(pthread_join(thread, &result), 0);
  return result;
}

TEST(ForeignUnwindingTest, AThreadEndsWhereTheProgramCalls) {
  for (const Place& place : Places()) {
    if (place.is_of_xla) continue;
    leave = &EndThread;
    EXPECT_EQ(ResultOfThread([&] { place.call(); }), &value) << place.name;
    leave = &CancelThread;
    EXPECT_EQ(ResultOfThread([&] { place.call(); }), PTHREAD_CANCELED) << place.name;
  }
}

TEST(ForeignUnwindingDeathTest, TheProcessEndsWithWordsWhereXlaCalls) {
  GTEST_FLAG_SET(death_test_style, "fast");
  for (const Place& place : Places()) {
    if (!place.is_of_xla) continue;
    leave = &EndThread;
    EXPECT_DEATH(ResultOfThread([&] { place.call(); }), kEnded) << place.name;
    leave = &CancelThread;
    EXPECT_DEATH(ResultOfThread([&] { place.call(); }), kEnded) << place.name;
  }
}

TEST(ForeignUnwindingDeathTest, TheProcessEndsWithWordsWhereNothingMayBeThrown) {
  GTEST_FLAG_SET(death_test_style, "fast");
  leave = &EndThread;
  EXPECT_DEATH(ResultOfThread([] { host::DeleteState([](void*) { leave(); }, nullptr); }), kEnded);
  EXPECT_DEATH(
      {
        host::FixedThreadPool pool(1);
        pool.Schedule([](void*) { leave(); }, nullptr);
      },
      kEnded);
}

// ---- Cross-version wrappers, of all headers on all runtimes ----

class ForeignUnwindingInWrappersTest : public ForeignCallTest {};

TEST_P(ForeignUnwindingInWrappersTest, AreErrorsOrTheThreadsEnd) {
  for (const ForeignLanguage& language : kForeignLanguages) {
    const std::string said =
        Call([&](XLA_FFI_CallFrame*) -> XLA_FFI_Error* { RaiseForeign(language); });
    EXPECT_THAT(said, HasSubstr(std::string("the target threw ") + language.text));
  }
  const auto end = [](XLA_FFI_CallFrame*) -> XLA_FFI_Error* {
    EndThread();
    return nullptr;
  };
  if (typed_ffi::IsXla(*runtime->api())) return;  // a table that ends as XLA's does
  EXPECT_EQ(ResultOfThread([&] { Call(end); }), &value);
}

INSTANTIATE_TEST_SUITE_P(All, ForeignUnwindingInWrappersTest,
                         testing::Combine(testing::Range(0, typed_ffi::kRuntimeVersionCount),
                                          testing::Range(0, typed_ffi::kRuntimeVersionCount)));

}  // namespace
}  // namespace callbridge
