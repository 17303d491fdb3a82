// Scratch memory of handlers that are called through version 3: a result of the call.
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "callbridge/adapters/entry_points/untyped_to_typed.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/adapters/version_three_calls.h"
#include "xla/ffi/api/ffi.h"

namespace callbridge {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

namespace ffi = xla::ffi;
using F32 = ffi::Buffer<ffi::F32>;

// Asks for `blocks` blocks of `size` bytes, each of which it fills with its number. What it got is
// in `had`.
std::vector<std::pair<void*, size_t>> had;
ffi::Error FillScratch(ffi::RemainingArgs, ffi::RemainingRets results,
                       ffi::ScratchAllocator scratch, int32_t blocks, int32_t size) {
  had.clear();
  for (int32_t i = 0; i < blocks; ++i) {
    const auto memory = scratch.Allocate(static_cast<size_t>(size), 64);
    if (!memory.has_value()) return ffi::Error(ffi::ErrorCode::kDataLoss, "no memory");
    std::memset(*memory, i + 1, static_cast<size_t>(size));
    had.emplace_back(*memory, size);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    *(*results.get<F32>(i))->typed_data() = static_cast<float>(i) + 1;
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kFillScratch, FillScratch,
                       ffi::Ffi::Bind()
                           .RemainingArgs()
                           .RemainingRets()
                           .Ctx<ffi::ScratchAllocator>()
                           .Attr<int32_t>("blocks")
                           .Attr<int32_t>("size"));

std::string ScratchDescriptor(const char* result, uint64_t given, int32_t blocks, int32_t size) {
  CallSite site = Site({"f32[]"}, result, Scalar("blocks", blocks));
  site.attributes.SetScalar("size", PrimitiveType::kS32, &size);
  site.scratch_bytes = given;
  return Descriptor(site);
}

ffi::Error UseScratchAlone(ffi::RemainingArgs, ffi::ScratchAllocator scratch, int32_t, int32_t) {
  const auto memory = scratch.Allocate(64);
  if (!memory.has_value()) return ffi::Error::Internal("no memory");
  std::memset(*memory, 7, 64);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(kUseScratchAlone, UseScratchAlone,
                       ffi::Ffi::Bind()
                           .RemainingArgs()
                           .Ctx<ffi::ScratchAllocator>()
                           .Attr<int32_t>("blocks")
                           .Attr<int32_t>("size"));

class ScratchTest : public ::testing::Test {
 protected:
  // The runtime's table of results, whose last one is the memory.
  std::string CallWith(const std::string& descriptor, std::vector<void*> results) {
    void* operands[] = {&operand_};
    return Call(TypedTarget(kFillScratch), results.size() == 1 ? results[0] : results.data(),
                operands, descriptor);
  }
  void ExpectFilled(size_t count, size_t size) {
    ASSERT_EQ(had.size(), count);
    for (size_t i = 0; i < count; ++i) {
      EXPECT_GE(had[i].first, static_cast<void*>(memory_));
      EXPECT_LE(static_cast<char*>(had[i].first) + size, memory_ + sizeof(memory_));
      EXPECT_EQ(*static_cast<char*>(had[i].first), static_cast<char>(i + 1));
    }
  }

  float operand_ = 5, one_ = 0, two_ = 0;
  alignas(64) char memory_[1024];
};

TEST_F(ScratchTest, IsBehindTheResultsHoweverManyThereAre) {
  // Twice: the first call binds the site, later ones find it.
  for (int run = 0; run < 3; ++run) {
    one_ = two_ = 0;
    EXPECT_EQ(CallWith(ScratchDescriptor("()", 1024, 2, 512), {memory_}), "OK");
    ExpectFilled(2, 512);
    EXPECT_EQ(CallWith(ScratchDescriptor("f32[]", 1024, 1, 1024), {&one_, memory_}), "OK");
    ExpectFilled(1, 1024);
    EXPECT_EQ(one_, 1);
    EXPECT_EQ(CallWith(ScratchDescriptor("(f32[],f32[])", 1024, 16, 1), {&one_, &two_, memory_}),
              "OK");
    ExpectFilled(16, 1);
    EXPECT_EQ(two_, 2);
  }
}

TEST_F(ScratchTest, OnGpuItIsTheLastBuffer) {
  Target target = TypedTarget(kFillScratch);
  target.platform = Platform::kCuda;
  int stream = 0;
  void* buffers[] = {&operand_, &one_, memory_};
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(Call(target, &stream, buffers, ScratchDescriptor("f32[]", 256, 4, 64)), "OK");
    ExpectFilled(4, 64);
    EXPECT_EQ(one_, 1);
  }
}

TEST_F(ScratchTest, MoreThanTheCallGivesIsResourceExhausted) {
  const std::string text =
      "RESOURCE_EXHAUSTED: no memory (the handler needs 768 bytes of scratch memory, and the call "
      "gives it 512: state more at the call site (scratch_bytes))";
  for (int run = 0; run < 2; ++run) {
    EXPECT_EQ(CallWith(ScratchDescriptor("f32[]", 512, 3, 256), {&one_, memory_}), text);
    EXPECT_EQ(CallWith(ScratchDescriptor("f32[]", 512, 2, 256), {&one_, memory_}), "OK");
  }
  EXPECT_EQ(CallWith(ScratchDescriptor("f32[]", 1, 1, 2), {&one_, memory_}),
            "RESOURCE_EXHAUSTED: no memory (the handler needs 2 bytes of scratch memory, and the "
            "call gives it 1: state more at the call site (scratch_bytes))");
}

TEST_F(ScratchTest, WithoutItTheRequestIsUnimplemented) {
  EXPECT_THAT(CallWith(ScratchDescriptor("f32[]", 0, 1, 1), {&one_}),
              AllOf(StartsWith("UNIMPLEMENTED: "), HasSubstr("No device memory allocator")));
  EXPECT_EQ(CallWith(ScratchDescriptor("f32[]", 0, 0, 1), {&one_}), "OK") << "nothing is asked for";
}

TEST_F(ScratchTest, ThreadsThatBindOneSiteEachHaveTheirOwn) {
  const std::string descriptor = ScratchDescriptor("()", 64, 0, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      alignas(64) char memory[64];
      float operand = 1;
      void* operands[] = {&operand};
      for (int run = 0; run < 100; ++run) {
        EXPECT_EQ(Call(TypedTarget(kUseScratchAlone), memory, operands, descriptor), "OK");
        EXPECT_EQ(memory[63], 7);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace callbridge
