#include "callbridge/abi/aligned_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace callbridge {
namespace {

static_assert(kArrayAlignment == 64, "XLA:CPU's");
static_assert(Aligned(0) == 0 && Aligned(1) == 64 && Aligned(63) == 64);
static_assert(Aligned(64) == 64 && Aligned(65) == 128 && Aligned(128) == 128);

TEST(AlignedMemoryTest, IsAlignedAndOfTheSizeThatWasAskedFor) {
  for (size_t size : {0, 1, 63, 64, 65, 4096, 100001}) {
    absl::StatusOr<AlignedMemory> memory = AlignedMemory::Allocate(size);
    ASSERT_TRUE(memory.ok()) << memory.status();
    // Of 0 bytes too: targets may not expect null.
    ASSERT_NE(memory->data(), nullptr) << size;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory->data()) % 64, 0u) << size;
    EXPECT_EQ(memory->size(), size);
    memset(memory->data(), 0x55, size);
    const char* const data = memory->data();
    const AlignedMemory moved = *std::move(memory);
    EXPECT_EQ(moved.data(), data);
    EXPECT_EQ(moved.size(), size);
  }
  const AlignedMemory none;
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(none.size(), 0u);
}

TEST(AlignedMemoryTest, MoreThanTheMachineHasIsRefused) {
  for (size_t size : {std::numeric_limits<size_t>::max(), std::numeric_limits<size_t>::max() / 2,
                      size_t{1} << 52}) {
    const absl::Status status = AlignedMemory::Allocate(size).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(status.message()),
                testing::HasSubstr("no memory for " + std::to_string(size) + " bytes"));
  }
}

}  // namespace
}  // namespace callbridge
