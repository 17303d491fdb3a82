// Handlers built with callbridge's headers, called through version 3.
#include "callbridge/adapters/entry_points/untyped_to_typed.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/site_descriptor.h"
#include "callbridge/adapters/entry_points/trampolines.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/version_three_calls.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;
using S64 = ffi::Buffer<ffi::S64>;

// Of every kind of attribute, all of which are told back.
std::string seen;

template <typename T>
void See(const T& value) {
  absl::StrAppend(&seen, value, ";");
}

ffi::Error SeeAttributes(ffi::Result<F32>, bool flag, int8_t s8, uint64_t u64, double f64,
                         std::complex<float> c64, std::string_view text,
                         ffi::Span<const int16_t> array, ffi::Span<const float> empty,
                         ffi::Dictionary dictionary) {
  seen.clear();
  See(flag);
  See(int{s8});
  See(u64);
  See(f64);
  See(c64.imag());
  See(text.size());
  See(std::string(text));
  See(std::accumulate(array.begin(), array.end(), 0));
  See(empty.size());
  See(dictionary.get<int32_t>("n").value());
  See(dictionary.get<ffi::Dictionary>("inner")->get<double>("x").value());
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kSeeAttributes, SeeAttributes,
                       ffi::Ffi::Bind()
                           .Ret<F32>()
                           .Attr<bool>("flag")
                           .Attr<int8_t>("s8")
                           .Attr<uint64_t>("u64")
                           .Attr<double>("f64")
                           .Attr<std::complex<float>>("c64")
                           .Attr<std::string_view>("text")
                           .Attr<ffi::Span<const int16_t>>("array")
                           .Attr<ffi::Span<const float>>("empty")
                           .Attr<ffi::Dictionary>("dictionary"));

TEST(TypedTargetEntryTest, PassesAttributesOfEveryKind) {
  const bool flag = true;
  const int8_t s8 = -8;
  const uint64_t u64 = uint64_t{1} << 63;
  const double f64 = 0.25, x = 1.5;
  const std::complex<float> c64(1, -1);
  const int16_t array[] = {10, 20, -1};
  Attributes inner;
  inner.SetScalar("x", PrimitiveType::kF64, &x);
  Attributes dictionary = Scalar("n", 7);
  dictionary.SetDictionary("inner", inner);
  Attributes attributes;
  attributes.SetScalar("flag", PrimitiveType::kPred, &flag)
      .SetScalar("s8", PrimitiveType::kS8, &s8)
      .SetScalar("u64", PrimitiveType::kU64, &u64)
      .SetScalar("f64", PrimitiveType::kF64, &f64)
      .SetScalar("c64", PrimitiveType::kC64, &c64)
      .SetString("text", std::string("a\0b", 3))
      .SetArray("array", PrimitiveType::kS16, array, 3)
      .SetArray("empty", PrimitiveType::kF32, nullptr, 0)
      .SetDictionary("dictionary", dictionary);
  Floats result;
  EXPECT_EQ(Call(TypedTarget(kSeeAttributes), result.data(), nullptr,
                 Descriptor(FloatSite(0, attributes))),
            "OK");
  EXPECT_EQ(seen, absl::StrCat("1;-8;9223372036854775808;0.25;-1;3;a", std::string(1, '\0'),
                               "b;29;0;7;1.5;"));
}

// Writes each argument's dimensions to the result that has its number.
ffi::Error SeeDimensions(ffi::RemainingArgs arguments, ffi::RemainingRets results) {
  for (size_t i = 0; i < results.size(); ++i) {
    auto result = results.get<S64>(i);
    auto argument = arguments.get<ffi::AnyBuffer>(i);
    if (!result.has_value() || !argument.has_value()) return ffi::Error::Internal("not there");
    const auto dimensions = argument->dimensions();
    if ((*result)->element_count() != dimensions.size()) return ffi::Error::Internal("rank");
    std::copy(dimensions.begin(), dimensions.end(), (*result)->typed_data());
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kSeeDimensions, SeeDimensions,
                       ffi::Ffi::Bind().RemainingArgs().RemainingRets());

TEST(TypedTargetEntryTest, PassesShapesOfAllLeaves) {
  std::array<int64_t, 3> first = {};
  std::array<int64_t, 1> third = {};
  float data[30];
  void* results[] = {first.data(), data, third.data()};
  void* arguments[] = {data, data, data};
  const CallSite site = Site({"f32[5,0,3]", "(f32[],u8[30])"}, "(s64[3],(s64[0],s64[1]))");
  ASSERT_EQ(Call(TypedTarget(kSeeDimensions), results, arguments, Descriptor(site)), "OK");
  EXPECT_THAT(first, ElementsAre(5, 0, 3));
  EXPECT_THAT(third, ElementsAre(30));
}

TEST(TypedTargetEntryTest, NoOperandsAndNoResultsNeedNoLists) {
  EXPECT_EQ(Call(TypedTarget(kSeeDimensions), nullptr, nullptr, Descriptor(Site({}, "()"))), "OK");
}

TEST(TypedTargetEntryTest, ManyBuffers) {
  constexpr size_t kMany = 1000;
  std::vector<int64_t> dimensions(kMany, -1);
  std::vector<void*> arguments(kMany, nullptr);
  std::vector<void*> results;
  CallSite site;
  std::vector<Shape> result_shapes;
  for (size_t i = 0; i < kMany; ++i) {
    results.push_back(&dimensions[i]);
    site.operands.push_back(ParseShape(absl::StrCat("f32[", i, "]")).value());
    result_shapes.push_back(ParseShape("s64[1]").value());
  }
  site.result = Shape::MakeTuple(result_shapes).value();
  ASSERT_EQ(Call(TypedTarget(kSeeDimensions), results.data(), arguments.data(), Descriptor(site)),
            "OK");
  for (size_t i = 0; i < kMany; ++i) EXPECT_EQ(dimensions[i], static_cast<int64_t>(i));
}

// Each stage's state, and how often the stages were called.
struct Total {
  static ffi::TypeId id;
  std::atomic<int> value{0};
};
ffi::TypeId Total::id = {};
std::atomic<int> instantiated{0};
std::atomic<bool> refuses{false};
std::atomic<bool> expects_another{false};  // waits a moment for another thread to do the same

ffi::ErrorOr<std::unique_ptr<Total>> StartTotal(int32_t) {
  ++instantiated;
  for (int i = 0; expects_another && instantiated < 2 && i < 50; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (refuses) return ffi::Unexpected(ffi::Error(ffi::ErrorCode::kUnavailable, "not yet"));
  return std::make_unique<Total>();
}
XLA_FFI_DEFINE_HANDLER(kStartTotal, StartTotal,
                       ffi::Ffi::Bind<ffi::ExecutionStage::kInstantiate>().Attr<int32_t>("site"));

ffi::ErrorOr<std::unique_ptr<Total>> Hundred() {
  auto total = std::make_unique<Total>();
  total->value = 100;
  return total;
}
XLA_FFI_DEFINE_HANDLER(kPrepareHundred, Hundred, ffi::Ffi::Bind<ffi::ExecutionStage::kPrepare>());
XLA_FFI_DEFINE_HANDLER(kInitializeHundred, Hundred,
                       ffi::Ffi::Bind<ffi::ExecutionStage::kInitialize>());

ffi::Error AddUp(ffi::Result<F32> result, int32_t, Total* total, Total* prepared,
                 Total* initialized) {
  *result->typed_data() =
      static_cast<float>(++total->value + prepared->value + 10 * initialized->value);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kAddUp, AddUp,
                       ffi::Ffi::Bind()
                           .Ret<F32>()
                           .Attr<int32_t>("site")
                           .Ctx<ffi::State<Total>>()
                           .Ctx<ffi::Prepared<Total>>()
                           .Ctx<ffi::Initialized<Total>>());

class StagesTest : public testing::Test {
 protected:
  StagesTest() : target_(TypedTarget(kAddUp, kStartTotal)) {
    static const XLA_FFI_TypeInfo info = ffi::MakeTypeInfo<Total>();
    EXPECT_EQ(host::TypeRegistry::OfProcess().Register("untyped_to_typed_entry_test.Total",
                                                       Total::id, &info),
              absl::OkStatus());
    target_.stages.prepare = kPrepareHundred;
    target_.stages.initialize = kInitializeHundred;
    instantiated = 0;
  }

  std::string CallSiteNumber(int32_t site, float* result) {
    return Call(target_, result, nullptr, Descriptor(Site({}, "f32[]", Scalar("site", site))));
  }

  Target target_;
};

TEST_F(StagesTest, AllAreCalledAndInstantiateOnceASite) {
  float result = -1;
  for (int i = 1; i < 4; ++i) {
    for (int32_t site : {1, 2}) {
      ASSERT_EQ(CallSiteNumber(site, &result), "OK");
      EXPECT_EQ(result, static_cast<float>(1100 + i));
    }
  }
  EXPECT_EQ(instantiated, 2);
}

TEST_F(StagesTest, WhatInstantiateRefusesIsTriedAgain) {
  float result = -1;
  refuses = true;
  EXPECT_EQ(CallSiteNumber(3, &result), "UNAVAILABLE: not yet");
  EXPECT_EQ(CallSiteNumber(3, &result), "UNAVAILABLE: not yet");
  refuses = false;
  EXPECT_EQ(CallSiteNumber(3, &result), "OK");
  EXPECT_EQ(result, 1101);
  EXPECT_EQ(instantiated, 3);
}

std::atomic<int> states{0};
struct CountedState {
  static ffi::TypeId id;
  CountedState() { ++states; }
  ~CountedState() { --states; }
  int calls = 0;
};
ffi::TypeId CountedState::id = {};
ffi::ErrorOr<std::unique_ptr<CountedState>> MakeCounted() {
  return std::make_unique<CountedState>();
}
XLA_FFI_DEFINE_HANDLER(kMakeCounted, MakeCounted,
                       ffi::Ffi::Bind<ffi::ExecutionStage::kInstantiate>());
ffi::Error CountCalls(ffi::Result<F32> result, CountedState* state) {
  *result->typed_data() = static_cast<float>(++state->calls);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kCountCalls, CountCalls,
                       ffi::Ffi::Bind().Ret<F32>().Ctx<ffi::State<CountedState>>());

void RegisterCountedState() {
  static const XLA_FFI_TypeInfo info = ffi::MakeTypeInfo<CountedState>();
  ASSERT_EQ(host::TypeRegistry::OfProcess().Register("untyped_to_typed_entry_test.CountedState",
                                                     CountedState::id, &info),
            absl::OkStatus());
}

// Calls the site that f32[1,number] makes; the result.
float CallSiteOfShape(UntypedToTypedEntry& entry, size_t number) {
  const std::string descriptor = Descriptor(Site({}, absl::StrCat("f32[1,", number, "]").c_str()));
  float result = -1;
  XlaCustomCallStatus status;
  entry.Call(&result, nullptr, descriptor.data(), descriptor.size(), &status);
  EXPECT_EQ(status.message.value_or("OK"), "OK");
  return result;
}

TEST(TypedTargetEntryTest, SitesThatNoCallHasUsedLatelyGo) {
  RegisterCountedState();
  states = 0;
  constexpr size_t kMost = 100;
  UntypedToTypedEntry entry(TypedTarget(kCountCalls, kMakeCounted), kMost);
  const auto call = [&](size_t site) { return CallSiteOfShape(entry, site); };
  // One that is called now and then stays; of the others only the latest.
  for (size_t i = 1; i <= 10 * kMost; ++i) {
    EXPECT_EQ(call(i), 1) << "a state of its own";
    EXPECT_EQ(call(0), static_cast<float>(i));
  }
  EXPECT_EQ(states, static_cast<int>(kMost));
  EXPECT_EQ(call(10 * kMost), 2);
  EXPECT_EQ(call(1), 1) << "its state was deleted, and is made anew";
  EXPECT_EQ(call(1), 2);
}

// None goes while a call uses it: here its own handler calls as many others as there may be.
std::function<void()> in_between;
ffi::Error CallOthers(ffi::Result<F32> result, CountedState* state) {
  ++state->calls;
  if (in_between) std::exchange(in_between, nullptr)();
  *result->typed_data() = static_cast<float>(state->calls);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kCallOthers, CallOthers,
                       ffi::Ffi::Bind().Ret<F32>().Ctx<ffi::State<CountedState>>());

TEST(TypedTargetEntryTest, ASiteStaysWhileACallUsesIt) {
  RegisterCountedState();
  UntypedToTypedEntry entry(TypedTarget(kCallOthers, kMakeCounted), 4);
  in_between = [&] {
    for (size_t i = 1; i < 100; ++i) EXPECT_EQ(CallSiteOfShape(entry, i), 1);
    EXPECT_EQ(CallSiteOfShape(entry, 0), 2) << "the same state";
  };
  EXPECT_EQ(CallSiteOfShape(entry, 0), 2);
}

TEST_F(StagesTest, WhoComesSecondWaitsForTheFirst) {
  std::atomic<int> failed{0};
  expects_another = true;
  const auto call = [&] {
    float result = -1;
    if (CallSiteNumber(5, &result) != "OK") ++failed;
  };
  std::thread another(call);
  call();
  another.join();
  expects_another = false;
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(instantiated, 1);
}

TEST_F(StagesTest, SixteenThreadsCallSixteenSitesForTheFirstTime) {
  constexpr int kThreads = 16, kRounds = 20;
  std::atomic<int> ready{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      for (int i = 0; i < kRounds; ++i) {
        for (int32_t site = 100; site < 116; ++site) {
          float result = -1;
          if (CallSiteNumber(site, &result) != "OK" || result < 1101) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(instantiated, 16);
  float result = -1;
  ASSERT_EQ(CallSiteNumber(100, &result), "OK");
  EXPECT_EQ(result, 1100 + kThreads * kRounds + 1);
}

// ---- What version 3 cannot provide

using Context = ffi::Context;

template <typename T>
ffi::Error AskFor(ffi::Result<F32>, Context context) {
  auto got = context.get<T>();
  return got.has_value() ? ffi::Error::Success() : got.error();
}

template <typename T>
ffi::Error TakeAsParameter(ffi::Result<F32>, typename ffi::CtxDecoding<T>::Type) {
  return ffi::Error::Success();
}

struct AnExtension {
  using CExtension = XLA_FFI_Extension;
  using Type = int;
  static constexpr auto kName = "AnExtension";
  static constexpr int64_t kExtensionType = 4711;
  static constexpr int64_t kMajorVersion = 0;
  static constexpr int64_t kMinorVersion = 1;
  static Type Create(const XLA_FFI_Api*, const CExtension*) { return 0; }
};

#define BOTH_WAYS(name, ...)                                                                  \
  XLA_FFI_DEFINE_HANDLER(kAsk##name, AskFor<__VA_ARGS__>, ffi::Ffi::Bind().Ret<F32>().Ctx()); \
  XLA_FFI_DEFINE_HANDLER(kTake##name, TakeAsParameter<__VA_ARGS__>,                           \
                         ffi::Ffi::Bind().Ret<F32>().Ctx<__VA_ARGS__>())
BOTH_WAYS(Stream, ffi::PlatformStream<void*>);
BOTH_WAYS(RunId, ffi::RunId);
BOTH_WAYS(Ordinal, ffi::DeviceOrdinal);
BOTH_WAYS(UserData, ffi::UserData<Total>);
BOTH_WAYS(Options, ffi::CustomOptions);
BOTH_WAYS(Extension, ffi::Extension<AnExtension>);
#undef BOTH_WAYS

// What the runtime itself answers, which XLA's headers keep from the handler.
XLA_FFI_Error* ScheduleByHand(XLA_FFI_CallFrame* frame) {
  if (frame->ctx == nullptr) return nullptr;  // asked what it is
  XLA_FFI_ThreadPool_Schedule_Args args = {};
  args.struct_size = XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE;
  args.ctx = frame->ctx;
  args.task = [](void*) { ADD_FAILURE() << "an error, and it was run all the same"; };
  return frame->api->XLA_FFI_ThreadPool_Schedule(&args);
}

TEST_F(StagesTest, ContextsThatCannotBeHadAreUnimplemented) {
  const struct {
    XLA_FFI_Handler* handler;
    const char* missing;
  } kCases[] = {{kAskStream, "GPU stream is not available"},
                {kTakeStream, "GPU stream is not available"},
                {kAskRunId, "run id is not available"},
                {kTakeRunId, "run id is not available"},
                {kAskOrdinal, "device ordinal is not available"},
                {kTakeOrdinal, "device ordinal is not available"},
                {kAskUserData, "user data is not available"},
                {kTakeUserData, "user data is not available"},
                {kAskOptions, "custom options are not available"},
                {kTakeOptions, "custom options are not available"},
                {kAskExtension, "No XLA FFI extension is available"},
                {kTakeExtension, "No XLA FFI extension is available"},
                {&ScheduleByHand, "No intra-op thread pool available"}};
  Floats result;
  for (const auto& c : kCases) {
    EXPECT_THAT(Call(TypedTarget(c.handler), result.data(), nullptr, Descriptor(FloatSite(0))),
                AllOf(StartsWith("UNIMPLEMENTED: "), HasSubstr(c.missing),
                      HasSubstr("the runtime calls this handler by custom-call version 3")));
  }
}

ffi::ErrorOr<std::unique_ptr<Total>> StartOnDevice(int32_t) { return std::make_unique<Total>(); }
XLA_FFI_DEFINE_HANDLER(
    kStartOnDevice, StartOnDevice,
    ffi::Ffi::Bind<ffi::ExecutionStage::kInstantiate>().Ctx<ffi::DeviceOrdinal>());

TEST_F(StagesTest, SoAreThoseOfInstantiate) {
  float result;
  EXPECT_THAT(Call(TypedTarget(kAddUp, kStartOnDevice), &result, nullptr,
                   Descriptor(Site({}, "f32[]", Scalar("site", 1)))),
              AllOf(StartsWith("UNIMPLEMENTED: "), HasSubstr("device ordinal is not available")));
}

// A handler that asked in vain and went on without.
ffi::Error Cope(ffi::Result<F32> result, ffi::ScratchAllocator scratch, Context context,
                int32_t fails) {
  *result->typed_data() = scratch.Allocate(8).has_value() ? 1 : 2;
  if (fails == 1) return ffi::Error(ffi::ErrorCode::kDataLoss, "cannot do without");
  return context.get<ffi::RunId>().has_value() ? ffi::Error::Internal("?") : ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    kCope, Cope,
    ffi::Ffi::Bind().Ret<F32>().Ctx<ffi::ScratchAllocator>().Ctx().Attr<int32_t>("fails"));

TEST(TypedTargetEntryTest, AHandlerMayDoWithout) {
  float result = -1;
  const auto call = [&](int32_t fails) {
    return Call(TypedTarget(kCope), &result, nullptr,
                Descriptor(Site({}, "f32[]", Scalar("fails", fails))));
  };
  EXPECT_EQ(call(0), "OK");
  EXPECT_EQ(result, 2);
  EXPECT_EQ(call(1),
            "UNIMPLEMENTED: cannot do without (No device memory allocator available on this "
            "platform: the runtime calls this handler by custom-call version 3, which provides "
            "no such thing)");
}

// ---- Opaques that describe no site

TEST(TypedTargetEntryTest, ACallWithoutADescriptorIsAnErrorAndNoCall) {
  Floats result;
  result.fill(-1);
  const auto call = [&](const std::string& opaque) {
    return Call(TypedTarget(kSeeDimensions), result.data(), nullptr, opaque);
  };
  EXPECT_THAT(call(""),
              StartsWith("INVALID_ARGUMENT: custom call \"typed\" is a typed FFI handler, "
                         "so the call's opaque must describe the call site: expected a "
                         "site descriptor of version 2"));
  EXPECT_THAT(call("{\"key\": 1}"), HasSubstr("expected a site descriptor of version 2"));
  EXPECT_THAT(call(EncodeSiteDescriptor(FloatSite(0))),
              HasSubstr("expected a site descriptor of version 2"));
  const std::string good = Descriptor(FloatSite(1, Scalar("n", 1)));
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_THAT(call(good.substr(0, size)), StartsWith("INVALID_ARGUMENT: ")) << size;
  }
  EXPECT_THAT(result, Each(-1));
}

// ---- GPU, identity, and how many

void* seen_stream;
ffi::Error SeeStream(F32 a, ffi::Result<F32> b, ffi::Result<F32> c, void* stream) {
  *b->typed_data() = *a.typed_data() + 1;
  *c->typed_data() = *a.typed_data() + 2;
  seen_stream = stream;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    kSeeStream, SeeStream,
    ffi::Ffi::Bind().Arg<F32>().Ret<F32>().Ret<F32>().Ctx<ffi::PlatformStream<void*>>());

TEST(TypedTargetEntryTest, OnGpuItGetsTheStreamAndOneList) {
  Target target = TypedTarget(kSeeStream);
  target.platform = Platform::kCuda;
  float a = 40, b = 0, c = 0;
  void* buffers[] = {&a, &b, &c};
  int stream;
  EXPECT_EQ(Call(target, &stream, buffers, Descriptor(Site({"f32[]"}, "(f32[],f32[])"))), "OK");
  EXPECT_EQ(seen_stream, &stream);
  EXPECT_EQ(b, 41);
  EXPECT_EQ(c, 42);
}

TEST(TypedTargetEntryTest, TheSameTargetHasTheSameEntryPoint) {
  const auto untyped = [](const Target& target) { return GetEntryPoints(target)->untyped; };
  Target target = TypedTarget(kAddUp);
  EXPECT_EQ(untyped(target), untyped(target));
  // One that does more at an earlier stage is another target.
  std::set<void*> different = {untyped(target)};
  for (auto stage : {&XLA_FFI_Handler_Bundle::instantiate, &XLA_FFI_Handler_Bundle::prepare,
                     &XLA_FFI_Handler_Bundle::initialize}) {
    Target with_stage = target;
    with_stage.stages.*stage = kStartTotal;
    EXPECT_TRUE(different.insert(untyped(with_stage)).second);
    EXPECT_FALSE(different.insert(untyped(with_stage)).second);
  }
  target.address = nullptr;
  EXPECT_EQ(GetEntryPoints(target).status().code(), absl::StatusCode::kInvalidArgument);
}

// Runs last in this program: it uses the compiled trampolines up.
TEST(TypedTargetEntryTest, ZClosuresServeWhatTheCompiledOnesCannot) {
  static char addresses[kCompiledTypedTargetTrampolines];
  for (char& address : addresses) {
    Target target = TypedTarget(kCope);
    target.address = &address;
    ASSERT_TRUE(GetEntryPoints(target).ok());
  }
  Target late = TypedTarget(kSeeStream);
  late.platform = Platform::kRocm;
  float a = 40, b = 0, c = 0;
  void* buffers[] = {&a, &b, &c};
  EXPECT_EQ(Call(late, &a, buffers, Descriptor(Site({"f32[]"}, "(f32[],f32[])"))), "OK");
  EXPECT_EQ(c, 42);
  EXPECT_THAT(Call(late, &a, buffers, "late"), StartsWith("INVALID_ARGUMENT: "));
}

}  // namespace
}  // namespace callbridge
