// The parts of the host, one by one.
#include <atomic>
#include <complex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/abi/shape_text.h"
#include "callbridge/typed_ffi/host/attributes.h"
#include "callbridge/typed_ffi/host/call_frame.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/future_object.h"
#include "callbridge/typed_ffi/host/handler_state.h"
#include "callbridge/typed_ffi/host/releases.h"
#include "callbridge/typed_ffi/host/scratch_memory.h"
#include "callbridge/typed_ffi/host/thread_pool.h"
#include "callbridge/typed_ffi/host/type_registry.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace host {
namespace {

using ::testing::HasSubstr;

// ---- Errors -------------------------------------------------------------------------------------

TEST(ErrorObjectTest, KeepsCodeAndMessage) {
  XLA_FFI_Error* error = ErrorObject::Make(XLA_FFI_Error_Code_DATA_LOSS, "text");
  EXPECT_EQ(ErrorObject::Of(error).code(), XLA_FFI_Error_Code_DATA_LOSS);
  EXPECT_STREQ(ErrorObject::Of(error).message(), "text");
  EXPECT_EQ(ErrorObject::TakeStatus(error), absl::DataLossError("text"));
}

TEST(ErrorObjectTest, NullAndOkAreOk) {
  EXPECT_EQ(ErrorObject::Make(absl::OkStatus()), nullptr);
  EXPECT_TRUE(ErrorObject::TakeStatus(nullptr).ok());
  EXPECT_TRUE(ErrorObject::TakeStatus(ErrorObject::Make(XLA_FFI_Error_Code_OK, "x")).ok());
  ErrorObject::Destroy(nullptr);
}

TEST(ErrorObjectTest, UnknownCodesAreUnknown) {
  XLA_FFI_Error* error = ErrorObject::Make(static_cast<XLA_FFI_Error_Code>(77), "x");
  EXPECT_EQ(ErrorObject::Of(error).code(), 77);
  EXPECT_EQ(ErrorObject::TakeStatus(error).code(), absl::StatusCode::kUnknown);
}

// ---- Futures ------------------------------------------------------------------------------------

struct CountingWaiter : FutureWaiter {
  CountingWaiter() : FutureWaiter{&Ready} {}
  static void Ready(FutureWaiter& waiter, absl::Status status) {
    auto& self = static_cast<CountingWaiter&>(waiter);
    self.status = std::move(status);
    ++self.calls;
  }
  absl::Status status;
  std::atomic<int> calls{0};
};

TEST(FutureObjectTest, CompletedBeforeItIsTaken) {
  XLA_FFI_Future* future = FutureObject::Create();
  EXPECT_TRUE(FutureObject::Complete(future, absl::AbortedError("x")).ok());
  EXPECT_EQ(FutureObject::Complete(future, absl::OkStatus()).code(),
            absl::StatusCode::kFailedPrecondition);
  CountingWaiter waiter;
  EXPECT_EQ(FutureObject::Take(future, waiter), absl::AbortedError("x"));
  EXPECT_EQ(waiter.calls, 0);
}

TEST(FutureObjectTest, TakenBeforeItIsCompleted) {
  XLA_FFI_Future* future = FutureObject::Create();
  CountingWaiter waiter;
  EXPECT_EQ(FutureObject::Take(future, waiter), absl::nullopt);
  EXPECT_TRUE(FutureObject::Complete(future, absl::AbortedError("x")).ok());
  EXPECT_EQ(waiter.calls, 1);
  EXPECT_EQ(waiter.status, absl::AbortedError("x"));
}

TEST(FutureObjectTest, AbandonedBeforeAndAfter) {
  XLA_FFI_Future* before = FutureObject::Create();
  FutureObject::Abandon(before);
  EXPECT_TRUE(FutureObject::Complete(before, absl::OkStatus()).ok());
  XLA_FFI_Future* after = FutureObject::Create();
  EXPECT_TRUE(FutureObject::Complete(after, absl::OkStatus()).ok());
  FutureObject::Abandon(after);
}

TEST(FutureObjectTest, RacingThreadsLoseNothing) {
  for (int i = 0; i < 500; ++i) {
    XLA_FFI_Future* future = FutureObject::Create();
    std::thread completer(
        [future] { EXPECT_TRUE(FutureObject::Complete(future, absl::AbortedError("x")).ok()); });
    EXPECT_EQ(WaitFor(future), absl::AbortedError("x"));
    completer.join();
  }
}

// ---- Types --------------------------------------------------------------------------------------

void Deleter(void*) {}

TEST(TypeRegistryTest, GivesIdsAndKeepsThem) {
  TypeRegistry registry;
  XLA_FFI_TypeId one = {}, two = {};
  const XLA_FFI_TypeInfo info = {XLA_FFI_TypeInfo_STRUCT_SIZE, nullptr, &Deleter};
  EXPECT_TRUE(registry.Register("one", one, nullptr).ok());
  EXPECT_TRUE(registry.Register("two", two, &info).ok());
  EXPECT_GT(one.type_id, 0);
  EXPECT_NE(one.type_id, two.type_id);
  EXPECT_EQ(registry.Find(one)->deleter, nullptr);
  EXPECT_EQ(registry.Find(two)->deleter, &Deleter);
  EXPECT_EQ(registry.Find(two)->name, "two");
  EXPECT_FALSE(registry.Find({99}).has_value());
  // Again, by the same id, with what was not known before.
  EXPECT_TRUE(registry.Register("one", one, &info).ok());
  EXPECT_EQ(registry.Find(one)->deleter, &Deleter);
}

TEST(TypeRegistryTest, TakesAnIdThatATypeHasAlready) {
  TypeRegistry registry;
  XLA_FFI_TypeId given = {7}, next = {};
  EXPECT_TRUE(registry.Register("given", given, nullptr).ok());
  EXPECT_TRUE(registry.Register("next", next, nullptr).ok());
  EXPECT_EQ(given.type_id, 7);
  EXPECT_FALSE(TypeRegistry::GaveOut(given));
  EXPECT_TRUE(TypeRegistry::GaveOut(next));
  XLA_FFI_TypeId ahead = {next.type_id + 1}, after = {};
  EXPECT_TRUE(registry.Register("ahead", ahead, nullptr).ok());
  EXPECT_TRUE(registry.Register("after", after, nullptr).ok());
  EXPECT_EQ(after.type_id, ahead.type_id + 1);
}

TEST(TypeRegistryTest, RefusesASecondNameForAnId) {
  TypeRegistry registry;
  XLA_FFI_TypeId own{0}, given{7};
  ASSERT_TRUE(registry.Register("first", own, nullptr).ok());
  ASSERT_TRUE(registry.Register("of a runtime", given, nullptr).ok());
  for (XLA_FFI_TypeId id : {own, given}) {
    const absl::Status status = registry.Register("second", id, nullptr);
    EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
    EXPECT_THAT(std::string(status.message()),
                testing::HasSubstr(absl::StrCat("type id ", id.type_id, ", which is that of type ",
                                                registry.Find(id)->name)));
  }
  XLA_FFI_TypeId id{0};
  EXPECT_TRUE(registry.Register("second", id, nullptr).ok());  // the name is still free
  EXPECT_NE(id.type_id, own.type_id);
}

TEST(TypeRegistryTest, RefusesASecondIdForAName) {
  TypeRegistry registry;
  XLA_FFI_TypeId one = {}, again = {}, other = {9};
  ASSERT_TRUE(registry.Register("nm", one, nullptr).ok());
  // XLA's text.
  EXPECT_EQ(registry.Register("nm", again, nullptr),
            absl::AlreadyExistsError(
                absl::StrCat("Type name nm already registered with type id ", one.type_id)));
  EXPECT_EQ(registry.Register("nm", other, nullptr).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(registry.Register("", again, nullptr).code(), absl::StatusCode::kInvalidArgument);
}

// ---- State --------------------------------------------------------------------------------------

TEST(HandlerStateTest, IsEndedOnce) {
  static int ended = 0;
  int object = 0;
  {
    HandlerState state;
    EXPECT_EQ(state.Get({1}).status(), absl::NotFoundError("State is not set"));
    EXPECT_TRUE(state.Set({1}, &object, [](void*) { ++ended; }).ok());
    EXPECT_EQ(state.Set({2}, &object, nullptr),
              absl::FailedPreconditionError("State is already set with a type id 1"));
    EXPECT_EQ(*state.Get({1}), &object);
    EXPECT_EQ(state.Get({2}).status(),
              absl::InvalidArgumentError("Set state type id 1 does not match the requested one 2"));
    EXPECT_EQ(ended, 0);
  }
  EXPECT_EQ(ended, 1);
}

// ---- Attributes and frames ----------------------------------------------------------------------

std::string Name(const XLA_FFI_Attrs& attrs, int i) {
  return std::string(attrs.names[i]->ptr, attrs.names[i]->len);
}

TEST(AttributesTest, AreSortedByNameAndNest) {
  const int32_t n = 3;
  const std::complex<double> z(1, 2);
  const int64_t array[] = {4, 5};
  EncodedAttributes encoded(
      Attributes()
          .SetString("z", absl::string_view("a\0b", 3))
          .SetScalar("b", PrimitiveType::kS32, &n)
          .SetScalar("B", PrimitiveType::kC128, &z)
          .SetArray("a", PrimitiveType::kS64, array, 2)
          .SetArray("none", PrimitiveType::kF32, nullptr, 0)
          .SetDictionary("ab", Attributes().SetScalar("x", PrimitiveType::kS32, &n)));
  const XLA_FFI_Attrs& attrs = encoded.get();
  ASSERT_EQ(attrs.size, 6);
  EXPECT_EQ(attrs.struct_size, 48u);
  const char* const kNames[] = {"B", "a", "ab", "b", "none", "z"};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Name(attrs, i), kNames[i]);

  const auto& scalar = *static_cast<const XLA_FFI_Scalar*>(attrs.attrs[0]);
  EXPECT_EQ(attrs.types[0], XLA_FFI_AttrType_SCALAR);
  EXPECT_EQ(scalar.dtype, XLA_FFI_DataType_C128);
  EXPECT_EQ(*static_cast<const std::complex<double>*>(scalar.value), z);
  const auto& values = *static_cast<const XLA_FFI_Array*>(attrs.attrs[1]);
  EXPECT_EQ(attrs.types[1], XLA_FFI_AttrType_ARRAY);
  EXPECT_EQ(values.size, 2u);
  EXPECT_EQ(static_cast<const int64_t*>(values.data)[1], 5);
  const auto& inner = *static_cast<const XLA_FFI_Attrs*>(attrs.attrs[2]);
  EXPECT_EQ(attrs.types[2], XLA_FFI_AttrType_DICTIONARY);
  ASSERT_EQ(inner.size, 1);
  EXPECT_EQ(Name(inner, 0), "x");
  EXPECT_EQ(static_cast<const XLA_FFI_Array*>(attrs.attrs[4])->size, 0u);
  const auto& text = *static_cast<const XLA_FFI_ByteSpan*>(attrs.attrs[5]);
  EXPECT_EQ(attrs.types[5], XLA_FFI_AttrType_STRING);
  EXPECT_EQ(std::string(text.ptr, text.len), std::string("a\0b", 3));
}

TEST(AttributesTest, ANameThatIsSetAgainGetsTheNewValue) {
  EncodedAttributes encoded(Attributes().SetString("a", "old").SetString("a", "new"));
  ASSERT_EQ(encoded.get().size, 1);
  EXPECT_EQ(static_cast<const XLA_FFI_ByteSpan*>(encoded.get().attrs[0])->ptr[0], 'n');
  EXPECT_EQ(EncodedAttributes::None().size, 0);
}

TEST(CallFrameTest, LeavesAreArgumentsInPreorder) {
  const CallFrame frame({*ParseShape("(f32[2,3],(token[],()))"), *ParseShape("s8[]")},
                        {*ParseShape("(u8[4],pred[])")}, Attributes());
  ASSERT_EQ(frame.argument_count(), 3u);
  ASSERT_EQ(frame.result_count(), 2u);
  int memory[5] = {};
  void* operands[] = {&memory[0], nullptr, &memory[2]};
  void* results[] = {&memory[3], &memory[4]};
  std::vector<void*> storage((frame.StorageSize() + 7) / 8);
  const XLA_FFI_CallFrame& call =
      frame.Write(storage.data(), {absl::MakeSpan(operands), absl::MakeSpan(results)});
  EXPECT_EQ(call.struct_size, 168u);
  EXPECT_EQ(call.future, nullptr);
  ASSERT_EQ(call.args.size, 3);
  ASSERT_EQ(call.rets.size, 2);
  const auto arg = [&](int i) { return *static_cast<const XLA_FFI_Buffer*>(call.args.args[i]); };
  const auto ret = [&](int i) { return *static_cast<const XLA_FFI_Buffer*>(call.rets.rets[i]); };
  EXPECT_EQ(arg(0).dtype, XLA_FFI_DataType_F32);
  ASSERT_EQ(arg(0).rank, 2);
  EXPECT_EQ(arg(0).dims[1], 3);
  EXPECT_EQ(arg(0).data, &memory[0]);
  EXPECT_EQ(arg(1).dtype, XLA_FFI_DataType_TOKEN);
  EXPECT_EQ(arg(1).rank, 0);
  EXPECT_EQ(arg(2).data, &memory[2]);
  EXPECT_EQ(ret(0).dtype, XLA_FFI_DataType_U8);
  EXPECT_EQ(ret(1).data, &memory[4]);
}

// ---- Scratch, threads, releases -----------------------------------------------------------------

TEST(CallScratchTest, FreesWhatIsLeft) {
  struct Counting : HostScratchAllocator {
    void* Allocate(size_t size, size_t alignment) override {
      ++blocks;
      return HostScratchAllocator::Allocate(size, alignment);
    }
    void Free(void* data, size_t size) override {
      --blocks;
      HostScratchAllocator::Free(data, size);
    }
    int blocks = 0;
  } allocator;
  {
    CallScratch scratch(&allocator);
    const absl::StatusOr<void*> one = scratch.Allocate(100, 4096);
    ASSERT_TRUE(one.ok());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(*one) % 4096, 0u);
    EXPECT_TRUE(scratch.Allocate(0, 1).ok());
    EXPECT_EQ(allocator.blocks, 2);
    EXPECT_TRUE(scratch.Free(*one).ok());
    EXPECT_EQ(scratch.Free(*one).code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(scratch.Allocate(1, 3).status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(scratch.Allocate(1, 0).status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(allocator.blocks, 1);
  }
  EXPECT_EQ(allocator.blocks, 0);
  EXPECT_EQ(CallScratch(nullptr).Allocate(1, 1).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(FixedThreadPoolTest, EndsWhenTasksOfTasksHaveEnded) {
  struct Shared {
    FixedThreadPool* pool;
    std::atomic<int> done{0};
  } shared;
  {
    FixedThreadPool pool(3);
    shared.pool = &pool;
    EXPECT_EQ(pool.num_threads(), 3);
    for (int i = 0; i < 100; ++i) {
      pool.Schedule(
          [](void* data) {
            auto& shared = *static_cast<Shared*>(data);
            ++shared.done;
            shared.pool->Schedule([](void* data) { ++static_cast<Shared*>(data)->done; }, data);
          },
          &shared);
    }
  }
  EXPECT_EQ(shared.done, 200);
}

TEST(ReleasesTest, AreFoundByName) {
  const std::pair<const char*, int> kReleases[] = {
      {"0.4.30", 0}, {"0.4.31", 1}, {"0.4.33", 1},   {"0.4.34", 2}, {"0.4.37", 2}, {"0.4.38", 3},
      {"0.5", 3},    {"0.6.2", 4},  {"0.7.2", 4},    {"0.8", 5},    {"0.9.0", 5},  {"0.10.2", 6},
      {"0.11", 7},   {"0.12", 8},   {"0.12.0.1", 8}, {"", 8}};
  for (const auto& [release, row] : kReleases) {
    const absl::StatusOr<const RuntimeVersion*> version = VersionOfRelease(release);
    ASSERT_TRUE(version.ok()) << version.status();
    EXPECT_EQ(RowOf(**version), row) << release;
  }
  for (const char* release : {"0.4.29", "0.13", "1.0", "0", "x", "0.4.x", "0.-4", "0.12.0.1.1"}) {
    EXPECT_EQ(VersionOfRelease(release).status().code(), absl::StatusCode::kInvalidArgument)
        << release;
  }
  EXPECT_THAT(VersionOfRelease("0.4.29").status().message(),
              HasSubstr("knows jaxlib 0.4.30 to 0.12"));
}

}  // namespace
}  // namespace host
}  // namespace callbridge
