// The parts of the host, one by one.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "callbridge/typed_ffi/host/error_object.h"
#include "callbridge/typed_ffi/host/future_object.h"
#include "callbridge/typed_ffi/host/handler_state.h"
#include "callbridge/typed_ffi/host/releases.h"
#include "callbridge/typed_ffi/host/runtime_services.h"
#include "callbridge/typed_ffi/host/scratch_memory.h"
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

// What an error stands for lives as long as it.
TEST(ErrorObjectTest, TakingItEndsIt) {
  for (bool take : {true, false}) {
    const auto origin = std::make_shared<int>(0);
    XLA_FFI_Error* error = ErrorObject::Make(XLA_FFI_Error_Code_ABORTED, "text", origin);
    EXPECT_EQ(ErrorObject::Of(error).origin(), origin.get());
    EXPECT_EQ(origin.use_count(), 2);
    if (take) {
      EXPECT_EQ(ErrorObject::TakeStatus(error), absl::AbortedError("text"));
    } else {
      ErrorObject::Destroy(error);
    }
    EXPECT_EQ(origin.use_count(), 1);
  }
  XLA_FFI_Error* plain = ErrorObject::Make(absl::DataLossError("text"));
  EXPECT_EQ(ErrorObject::Of(plain).origin(), nullptr);
  EXPECT_EQ(ErrorObject::TakeStatus(plain), absl::DataLossError("text"));
}

// ---- Futures ------------------------------------------------------------------------------------

struct CountingWaiter : FutureWaiter {
  // NOLINTNEXTLINE(clang-analyzer-optin.cplusplus.UninitializedObject): it is initialized.
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
  EXPECT_FALSE(TypeRegistry::Issued(given));
  EXPECT_TRUE(TypeRegistry::Issued(next));
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

TEST(HandlerStateTest, WithoutADeleterTheObjectIsLeftAlone) {
  int object = 3;
  {
    HandlerState state;
    EXPECT_TRUE(state.Set({1}, &object, nullptr).ok());
    EXPECT_EQ(*state.Get({1}), &object);
  }
  EXPECT_EQ(object, 3);
}

// Nobody is there to hear of it.
TEST(HandlerStateTest, WhatADeleterThrowsIsDropped) {
  static void* ended = nullptr;
  int object = 0;
  {
    HandlerState state;
    EXPECT_TRUE(state
                    .Set({1}, &object,
                         [](void* data) {
                           ended = data;
                           throw 7;
                         })
                    .ok());
  }
  EXPECT_EQ(ended, &object);
}

// ---- Scratch memory, releases -------------------------------------------------------------------

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

TEST(CallScratchTest, TellsSizesAndReasons) {
  struct Noting : ScratchAllocator {
    void* Allocate(size_t size, size_t alignment) override {
      text += absl::StrCat("+", size, "/", alignment, " ");
      return size == 13 ? nullptr : &memory[size];
    }
    void Free(void* data, size_t size) override {
      EXPECT_EQ(data, &memory[size]);
      text += absl::StrCat("-", size, " ");
    }
    std::string text;
    char memory[200];
  } allocator;
  {
    CallScratch scratch(&allocator);
    for (size_t size : {100, 0, 7}) EXPECT_EQ(*scratch.Allocate(size, 32), &allocator.memory[size]);
    EXPECT_EQ(scratch.Allocate(13, 1).status(),
              absl::ResourceExhaustedError("Failed to allocate 13 bytes of scratch memory"));
    EXPECT_EQ(scratch.Allocate(1, 6).status(),
              absl::InvalidArgumentError(
                  "scratch memory cannot be aligned to 6 bytes: an alignment is a power of two"));
    EXPECT_TRUE(scratch.Free(nullptr).ok());
    EXPECT_EQ(
        scratch.Free(&allocator),
        absl::InvalidArgumentError("expected memory that this call allocated and has not freed"));
    EXPECT_TRUE(scratch.Free(&allocator.memory[0]).ok());
    EXPECT_EQ(allocator.text, "+100/32 +0/32 +7/32 +13/1 -0 ");
  }
  EXPECT_EQ(allocator.text, "+100/32 +0/32 +7/32 +13/1 -0 -100 -7 ");
}

TEST(BlockScratchAllocatorTest, HandsOutAllOfTheBlock) {
  alignas(64) char block[200];
  BlockScratchAllocator memory(block, sizeof(block));
  EXPECT_EQ(memory.Allocate(200, 1), block);
  EXPECT_EQ(memory.Allocate(0, 1), nullptr);
  memory.Free(block, 200);
  EXPECT_EQ(memory.Allocate(1, 1), block);
  EXPECT_EQ(memory.Allocate(0, 64), block + 64) << "each request has memory of its own";
  EXPECT_EQ(memory.Allocate(72, 64), block + 128);
  EXPECT_EQ(memory.Allocate(1, 1), nullptr);
}

TEST(BlockScratchAllocatorTest, AlignsAddressesAsAsked) {
  alignas(1024) char block[4096];
  for (size_t alignment = 1; alignment <= 1024; alignment *= 2) {
    BlockScratchAllocator memory(block + 64, 4096 - 64);  // no better aligned than that
    for (int i = 0; i < 3; ++i) {
      void* data = memory.Allocate(8, alignment);
      ASSERT_NE(data, nullptr) << alignment;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % alignment, 0U);
    }
  }
}

TEST(BlockScratchAllocatorTest, TheLastOneIsGivenBack) {
  alignas(64) char block[256];
  BlockScratchAllocator memory(block, sizeof(block));
  for (int i = 0; i < 10; ++i) {
    void* first = memory.Allocate(100, 1);
    void* second = memory.Allocate(100, 1);
    ASSERT_EQ(second, block + 128);
    memory.Free(second, 100);
    memory.Free(first, 100);
  }
  void* first = memory.Allocate(100, 1);
  void* second = memory.Allocate(100, 1);
  memory.Free(first, 100);  // not the last
  EXPECT_EQ(memory.Allocate(100, 1), nullptr);
  memory.Free(second, 100);
  EXPECT_EQ(memory.Allocate(100, 1), second);
}

TEST(BlockScratchAllocatorTest, MoreThanThereIsNamesBothNumbers) {
  alignas(64) char block[128];
  BlockScratchAllocator memory(block, sizeof(block));
  const absl::Status own = absl::DataLossError("cannot do without");
  EXPECT_EQ(memory.Outcome(own), own);
  ASSERT_NE(memory.Allocate(1, 1), nullptr);
  EXPECT_EQ(memory.Outcome(own), own);
  EXPECT_EQ(memory.Allocate(100, 1), nullptr);
  const std::string text =
      "the handler needs 164 bytes of scratch memory, and the call gives it 128: state more at the "
      "call site (scratch_bytes)";
  EXPECT_EQ(memory.Failure(100), absl::ResourceExhaustedError(text));
  EXPECT_EQ(memory.Outcome(own), absl::ResourceExhaustedError("cannot do without (" + text + ")"));
  EXPECT_EQ(memory.Outcome(absl::InternalError("it said: " + text)),
            absl::ResourceExhaustedError("it said: " + text));
  // Sizes that no memory has.
  for (size_t size : {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2}) {
    EXPECT_EQ(memory.Allocate(size, 64), nullptr) << size;
  }
  EXPECT_NE(memory.Allocate(64, 64), nullptr) << "a second try with less";
}

TEST(BlockScratchAllocatorTest, ThreadsGetMemoryOfTheirOwn) {
  alignas(64) static char block[64 * 64];
  BlockScratchAllocator memory(block, sizeof(block));
  std::vector<std::vector<void*>> had(4);
  std::vector<std::thread> threads;
  for (std::vector<void*>& mine : had) {
    threads.emplace_back([&] {
      while (void* data = memory.Allocate(64, 1)) mine.push_back(data);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<void*> all;
  for (const std::vector<void*>& mine : had) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 64U);
}

TEST(HostScratchAllocatorTest, AlignsAsAskedAndAtLeastLikeMalloc) {
  HostScratchAllocator memory;
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    for (size_t size : {0, 1, 100}) {
      void* data = memory.Allocate(size, alignment);
      ASSERT_NE(data, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % std::max(alignment, alignof(std::max_align_t)),
                0u);
      memory.Free(data, size);
    }
  }
}

TEST(HostScratchAllocatorTest, WhatCannotBeHadIsNull) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "a sanitizer ends the process where so much is asked for";
#endif
#endif
  HostScratchAllocator memory;
  EXPECT_EQ(memory.Allocate(std::numeric_limits<size_t>::max() / 2, 64), nullptr);
}

TEST(RunIdTest, NoRunHasAnothers) {
  const int64_t first = NewRunId();
  EXPECT_GT(first, 0);
  EXPECT_EQ(NewRunId(), first + 1);
  EXPECT_EQ(NewRunId(), first + 2);
}

TEST(ReleasesTest, AreFoundByName) {
  const std::pair<const char*, int> kReleases[] = {
      {"0.4.30", 0}, {"0.4.31", 1}, {"0.4.33", 2},   {"0.4.34", 3},  {"0.4.37", 3}, {"0.4.38", 4},
      {"0.5", 4},    {"0.6.2", 5},  {"0.7.2", 5},    {"0.8", 5},     {"0.8.1", 6},  {"0.9.0", 6},
      {"0.9.1", 7},  {"0.10.2", 7}, {"0.11", 7},     {"0.11.1", 8},  {"0.12", 9},   {"0.12.0.1", 9},
      {"", 9},       {"0.12.7", 9}, {"0.4.30.0", 0}, {"0.4.100", 4}, {"0.4.32", 2}};
  for (const auto& [release, row] : kReleases) {
    const absl::StatusOr<const RuntimeVersion*> version = VersionOfRelease(release);
    ASSERT_TRUE(version.ok()) << version.status();
    EXPECT_EQ(IndexOf(**version), row) << release;
  }
  for (const char* release : {"0.4.29", "0.13", "1.0", "0", "x", "0.4.x", "0.-4", "0.12.0.1.1",
                              "0.12.0.-1", "0.4", "1.4.31", "-1.12"}) {
    EXPECT_EQ(VersionOfRelease(release).status().code(), absl::StatusCode::kInvalidArgument)
        << release;
  }
  EXPECT_THAT(VersionOfRelease("0.4.29").status().message(),
              HasSubstr("knows jaxlib 0.4.30 to 0.12"));
  EXPECT_EQ(VersionOfRelease("0.13").status(),
            absl::InvalidArgumentError(
                "the XLA FFI of jaxlib 0.13 is unknown: callbridge knows jaxlib 0.4.30 to 0.12"));
  EXPECT_EQ(VersionOfRelease("x").status(),
            absl::InvalidArgumentError("\"x\" is no release of jaxlib, such as 0.4.30 or 0.12"));
}

}  // namespace
}  // namespace host
}  // namespace callbridge
