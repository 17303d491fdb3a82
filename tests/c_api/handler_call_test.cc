// What a HandlerCall keeps of temporaries, what it says where it was moved from, and how long it
// waits.
#include "callbridge/handler_call.h"

#include <atomic>
#include <chrono>
#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/c_api/error_text.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge {
namespace {

namespace ffi = xla::ffi;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ffi::Error Concatenate(ffi::RemainingArgs args, ffi::ResultBuffer<ffi::F32> all) {
  float* out = all->typed_data();
  for (size_t i = 0; i < args.size(); ++i) {
    auto part = args.get<ffi::Buffer<ffi::F32>>(i);
    if (!part.has_value()) return part.error();
    for (size_t k = 0; k < part->element_count(); ++k) *out++ = part->typed_data()[k];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kConcatenate, Concatenate,
                       ffi::Ffi::Bind().RemainingArgs().Ret<ffi::Buffer<ffi::F32>>());

std::vector<float> Made(float first) { return {first, first + 1, first + 2, first + 3}; }
const std::vector<float> MadeConst(float first) { return Made(first); }

TEST(HandlerCallTest, KeepsTemporaries) {
  std::vector<float> all(18);
  std::vector<float> moved = Made(13);
  HandlerCall call(kConcatenate);
  const auto half = [](float whole) { return whole / 2; };
  call.Arg(2.0f).Arg(Made(1)).Arg(MadeConst(5)).Arg(half(3)).Arg(Made(9), {2, 2});
  call.Arg(std::move(moved)).Ret(all);
  // What else would come to lie where they lay.
  [[maybe_unused]] volatile float stack[64] = {};
  stack[0] = 99;
  std::vector<std::vector<float>> heap(8, std::vector<float>(4, 99));
  for (int round = 0; round < 2; ++round) {
    const HandlerResult result = call.Run();
    ASSERT_TRUE(result.ok()) << result;
    EXPECT_THAT(all, ElementsAre(2, 1, 2, 3, 4, 5, 6, 7, 8, 1.5, 9, 10, 11, 12, 13, 14, 15, 16));
  }
}

TEST(HandlerCallTest, BorrowsVariables) {
  float scalar = 1;
  std::vector<float> vector = {2, 3}, all(3);
  HandlerCall call(kConcatenate);
  call.Arg(scalar).Arg(vector).Ret(all);
  ASSERT_TRUE(call.Run().ok());
  EXPECT_THAT(all, ElementsAre(1, 2, 3));
  scalar = 4;  // NOLINT(clang-analyzer-deadcode.DeadStores): the handler reads it
  vector = {5, 6};
  ASSERT_TRUE(call.Run().ok());
  EXPECT_THAT(all, ElementsAre(4, 5, 6));
}

// What is said between runs is for the next one.
TEST(HandlerCallTest, WhatIsSaidAfterARunCounts) {
  const std::vector<float> one = {1}, two = {2};
  std::vector<float> first(2), second(2);
  HandlerCall call(kConcatenate);
  call.Arg(one).Ret(first);
  ASSERT_TRUE(call.Run().ok());
  call.Arg(two);
  ASSERT_TRUE(call.Run().ok());
  EXPECT_THAT(first, ElementsAre(1, 2));
  call.Ret(second);
  EXPECT_THAT(call.Run().message(), HasSubstr("1")) << "of two results the handler knows one";
}

TEST(HandlerCallTest, DimensionsFitTheData) {
  std::vector<float> three(3);
  HandlerCall call(kConcatenate);
  const auto message = [](const auto& say) -> std::string {
    try {
      say();
    } catch (const HandlerCallError& error) {
      return error.what();
    }
    return "threw nothing";
  };
  EXPECT_EQ(message([&] {
              call.Arg(three, {2, 2});
            }),
            "the dimensions have 4 elements, but the vector has 3");
  EXPECT_EQ(message([&] { call.Ret(three, {-3}); }),
            "the dimensions have -3 elements, but the vector has 3");
  EXPECT_EQ(message([&] { call.Arg(Made(1), {}); }),
            "the dimensions have 1 elements, but the vector has 4");
  EXPECT_EQ(message([&] { call.Arg(three, {3, 1}).Ret(three, {1, 3}); }), "threw nothing");
  EXPECT_TRUE(call.Run().ok());
}

// ---- Element types

template <typename T>
void ExpectElementType() {
  struct Seen {
    int32_t number;
    int64_t size;
  } seen = {};
  const std::string shape = std::string(ElementTypeOf<T>().name) + "[]";
  EXPECT_EQ(ErrorText(callbridge_shape_visit(
                shape.c_str(),
                [](void* user, int32_t number, const int64_t*, size_t, int64_t size) {
                  *static_cast<Seen*>(user) = {number, size};
                },
                &seen)),
            "OK");
  EXPECT_EQ(ElementTypeOf<T>().number, seen.number) << shape;
  EXPECT_EQ(sizeof(T), static_cast<size_t>(seen.size)) << shape;
}

template <typename... Types>
std::vector<std::string> Names() {
  return {ElementTypeOf<Types>().name...};
}

TEST(HandlerValuesTest, ElementTypesAreXlas) {
  EXPECT_THAT((Names<bool, int8_t, int16_t, int32_t, int64_t, long long>()),
              ElementsAre("pred", "s8", "s16", "s32", "s64", "s64"));
  EXPECT_THAT((Names<uint8_t, uint16_t, uint32_t, uint64_t, unsigned long long>()),
              ElementsAre("u8", "u16", "u32", "u64", "u64"));
  EXPECT_THAT((Names<float, double, std::complex<float>, std::complex<double>>()),
              ElementsAre("f32", "f64", "c64", "c128"));
  ExpectElementType<bool>();
  ExpectElementType<int8_t>();
  ExpectElementType<int16_t>();
  ExpectElementType<int32_t>();
  ExpectElementType<int64_t>();
  ExpectElementType<long long>();
  ExpectElementType<uint8_t>();
  ExpectElementType<uint16_t>();
  ExpectElementType<uint32_t>();
  ExpectElementType<uint64_t>();
  ExpectElementType<unsigned long long>();
  ExpectElementType<float>();
  ExpectElementType<double>();
  ExpectElementType<std::complex<float>>();
  ExpectElementType<std::complex<double>>();
}

// ---- What is provided

struct Owner {
  static ffi::TypeId id;
};
ffi::TypeId Owner::id = {};

ffi::Error TellLoans(ffi::ResultBuffer<ffi::S64> loans, ffi::Context context,
                     ffi::Dictionary options) {
  int64_t* out = loans->typed_data();
  *out++ = context.get<ffi::PlatformStream<void*>>().has_value();
  *out++ = context.get<ffi::DeviceOrdinal>().has_value();
  *out++ = context.get<ffi::RunId>().has_value();
  *out++ = context.get<ffi::ThreadPool>()->num_threads() > 0;
  *out++ = context.get<ffi::ScratchAllocator>()->Allocate(8).has_value();
  *out++ = options.contains("n");
  *out++ = context.get<ffi::UserData<Owner>>().has_value();
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    kTellLoans, TellLoans,
    ffi::Ffi::Bind().Ret<ffi::Buffer<ffi::S64>>().Ctx().Ctx<ffi::CustomOptions>());

TEST(HandlerValuesTest, NamesHoldNoNuls) {
  const std::string name("a\0b", 3);
  EXPECT_THROW(HandlerAttributes().Set(name, 1), HandlerCallError);
  EXPECT_THROW(HandlerAttributes().Set(name, std::vector<int32_t>{1}), HandlerCallError);
  EXPECT_THROW(HandlerCall(kConcatenate).Attr(name, "text"), HandlerCallError);
  ffi::TypeId id = {};
  EXPECT_THROW(RegisterHandlerType(name, &id), HandlerCallError);
}

TEST(HandlerCallTest, LendsNothingButWhatIsLentAfterThat) {
  RegisterHandlerType("handler_call_test.Owner", &Owner::id);
  Owner owner;
  std::vector<int64_t> loans(7);
  HandlerCall call(kTellLoans);
  call.Ret(loans);
  HandlerResult result = call.Run();
  ASSERT_TRUE(result.ok()) << result;
  EXPECT_THAT(loans, ElementsAre(0, 1, 1, 1, 0, 0, 0));
  call.Stream(nullptr).Scratch().Option("n", 1).RunId(7).UserData(Owner::id, &owner);
  ASSERT_TRUE(call.Run().ok());
  EXPECT_THAT(loans, ElementsAre(1, 1, 1, 1, 1, 1, 1));
  ASSERT_TRUE(call.ProvideNothing().Run().ok());
  EXPECT_THAT(loans, ElementsAre(0, 0, 0, 0, 0, 0, 0));
  ASSERT_TRUE(call.DeviceOrdinal(1).RunId(7).Run().ok());
  EXPECT_THAT(loans, ElementsAre(0, 1, 1, 0, 0, 0, 0));
}

// ---- What would dangle, and cannot be kept, does not compile

template <typename Argument, typename = void>
struct TakesResult : std::false_type {};
template <typename Argument>
struct TakesResult<
    Argument, std::void_t<decltype(std::declval<HandlerCall&>().Ret(std::declval<Argument>()))>>
    : std::true_type {};
template <typename Argument, typename = void>
struct TakesThreadPool : std::false_type {};
template <typename Argument>
struct TakesThreadPool<Argument, std::void_t<decltype(std::declval<HandlerCall&>().ThreadPool(
                                     std::declval<Argument>()))>> : std::true_type {};
template <typename Argument, typename = void>
struct TakesScratch : std::false_type {};
template <typename Argument>
struct TakesScratch<
    Argument, std::void_t<decltype(std::declval<HandlerCall&>().Scratch(std::declval<Argument>()))>>
    : std::true_type {};

static_assert(TakesResult<std::vector<float>&>() && TakesResult<float&>());
static_assert(!TakesResult<std::vector<float>>() && !TakesResult<float>());
static_assert(TakesThreadPool<const callbridge_ffi_thread_pool&>());
static_assert(!TakesThreadPool<callbridge_ffi_thread_pool>() &&
              !TakesThreadPool<const callbridge_ffi_thread_pool>());
static_assert(TakesScratch<const callbridge_ffi_scratch&>());
static_assert(!TakesScratch<callbridge_ffi_scratch>() &&
              !TakesScratch<const callbridge_ffi_scratch>());

// ---- Moved from

void ExpectMovedFrom(const char* member, const std::function<void()>& use) {
  SCOPED_TRACE(member);
  try {
    use();
    ADD_FAILURE() << "threw nothing";
  } catch (const HandlerCallError& error) {
    EXPECT_THAT(error.what(), HasSubstr("was moved from"));
  }
}

TEST(HandlerCallTest, SaysThatItWasMovedFrom) {
  std::vector<float> data = {1}, all(1);
  HandlerCall call(kConcatenate);
  HandlerCall* const same = &call;
  call.Arg(data);
  HandlerCall other = std::move(call);
  ASSERT_TRUE(other.Ret(all).Run().ok());
  EXPECT_THAT(all, ElementsAre(1));

  const ffi::TypeId id = {};
  const callbridge_ffi_scratch& scratch = *callbridge_ffi_host_memory();
  const callbridge_ffi_thread_pool& pool = *callbridge_ffi_process_threads();
  float scalar = 1;
  // NOLINTBEGIN(clang-analyzer-cplusplus.Move): that is what is tested.
#define EXPECT_MOVED_FROM(use) ExpectMovedFrom(#use, [&] { same->use; })
  EXPECT_MOVED_FROM(Instantiate(kConcatenate));
  EXPECT_MOVED_FROM(Prepare(kConcatenate));
  EXPECT_MOVED_FROM(Initialize(kConcatenate));
  EXPECT_MOVED_FROM(OnJaxlib("0.6.2"));
  EXPECT_MOVED_FROM(Arg(data));
  EXPECT_MOVED_FROM(Arg(data, {1}));
  EXPECT_MOVED_FROM(Arg(Made(1)));
  EXPECT_MOVED_FROM(Arg(Made(1), {4}));
  EXPECT_MOVED_FROM(Arg(scalar));
  EXPECT_MOVED_FROM(Arg(2.0f));
  EXPECT_MOVED_FROM(Arg("f32[]", &scalar));
  EXPECT_MOVED_FROM(Ret(data));
  EXPECT_MOVED_FROM(Ret(data, {1}));
  EXPECT_MOVED_FROM(Ret(scalar));
  EXPECT_MOVED_FROM(Ret("f32[]", &scalar));
  EXPECT_MOVED_FROM(Attr("n", 1));
  EXPECT_MOVED_FROM(Attr("n", data));
  EXPECT_MOVED_FROM(Stream(nullptr));
  EXPECT_MOVED_FROM(DeviceOrdinal(0));
  EXPECT_MOVED_FROM(RunId(1));
  EXPECT_MOVED_FROM(ThreadPool(pool));
  EXPECT_MOVED_FROM(Scratch(scratch));
  EXPECT_MOVED_FROM(Scratch());
  EXPECT_MOVED_FROM(UserData(id, &scalar));
  EXPECT_MOVED_FROM(Option("n", 1));
  EXPECT_MOVED_FROM(Extensions(nullptr));
  EXPECT_MOVED_FROM(ProvideNothing());
  EXPECT_MOVED_FROM(Timeout(std::chrono::milliseconds(1)));
  EXPECT_MOVED_FROM(Run());
#undef EXPECT_MOVED_FROM
  // NOLINTEND(clang-analyzer-cplusplus.Move)
  call = HandlerCall(kConcatenate);
  EXPECT_TRUE(call.Arg(data).Ret(all).Run().ok());

  HandlerAttributes attributes;
  HandlerAttributes* const empty = &attributes;
  const HandlerAttributes moved = std::move(attributes);
  ExpectMovedFrom("Set", [&] { empty->Set("n", 1); });
  ExpectMovedFrom("Set", [&] { empty->Set("n", data); });
  EXPECT_THROW(other.Attr("attributes", *empty), HandlerCallError);
}

// ---- Waiting

// Tasks. One may still be about to count itself when the call that waited for it returns.
std::atomic<int> scheduled{0};
std::atomic<int> finished{0};
std::atomic<bool> held{false};  // none ends until it is false

void AwaitTasks() {
  while (finished != scheduled) std::this_thread::yield();
}

ffi::Future Later(ffi::ThreadPool pool, ffi::ResultBuffer<ffi::F32> out) {
  ffi::Promise promise;
  ffi::Future future(promise);
  float* const data = out->typed_data();
  ++scheduled;
  pool.Schedule([promise = std::move(promise), data]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    while (held) std::this_thread::yield();
    *data = 42;
    promise.SetAvailable();
    ++finished;
  });
  return future;
}
XLA_FFI_DEFINE_HANDLER(kLater, Later,
                       ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Ret<ffi::Buffer<ffi::F32>>());

TEST(HandlerCallTest, TextsHoldNoNuls) {
  const std::string cut("f32[1]\0]", 8);
  float data = 0;
  HandlerCall call(kLater);
  EXPECT_THROW(call.Arg(cut, &data), HandlerCallError);
  EXPECT_THROW(call.Ret(cut, &data), HandlerCallError);
  EXPECT_THROW(call.OnJaxlib(std::string("0.10\0.2", 7)), HandlerCallError);
  EXPECT_THROW(HandlerCall::Registered(cut), HandlerCallError);
  try {
    HandlerCall::Registered("name", std::string("Host\0x", 6));
    ADD_FAILURE();
  } catch (const HandlerCallError& error) {
    EXPECT_STREQ(error.what(),
                 "expected a platform without NULs, got one that starts with \"Host\"");
  }
}

TEST(HandlerCallTest, WaitsAsLongAsItIsTold) {
  using std::chrono::milliseconds;
  // The clock counts nanoseconds, in 63 bits.
  constexpr int64_t kMost = INT64_MAX / 1000000;
  for (const int64_t timeout : {INT64_MAX, INT64_MAX / 2, kMost + 1, kMost, kMost - 1,
                                int64_t{60000}, int64_t{-1}, INT64_MIN}) {
    static float out;
    out = 0;
    HandlerCall call(kLater);
    const HandlerResult result = call.Ret(out).Timeout(milliseconds(timeout)).Run();
    EXPECT_TRUE(result.ok()) << timeout << ": " << result;
    EXPECT_EQ(out, 42);
  }
}

TEST(HandlerCallTest, TakesTimesOfAnyUnit) {
  for (const bool never : {false, true}) {
    static float out;
    HandlerCall call(kLater);
    call.Ret(out);
    if (never) {
      call.Timeout(std::chrono::hours::max());
    } else {
      call.Timeout(std::chrono::hours::min());
    }
    const HandlerResult result = call.Run();
    EXPECT_TRUE(result.ok()) << result;
  }
  static float out;
  HandlerCall call(kLater);
  held = true;
  EXPECT_THAT(call.Ret(out).Timeout(std::chrono::microseconds(1)).Run().message(),
              HasSubstr("in 1 ms"));
  held = false;
  AwaitTasks();
}

TEST(HandlerCallTest, DoesNotWaitWhereThereIsNoTime) {
  static float out;
  HandlerCall call(kLater);
  held = true;
  const HandlerResult result = call.Ret(out).Timeout(std::chrono::milliseconds(0)).Run();
  held = false;
  EXPECT_EQ(result.code_name(), "DEADLINE_EXCEEDED");
  EXPECT_THAT(result.message(), HasSubstr("in 0 ms"));
  AwaitTasks();
  EXPECT_EQ(out, 42);
}

}  // namespace
}  // namespace callbridge
