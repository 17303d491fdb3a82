#include "callbridge/client/arena_layout.h"

#include <gtest/gtest.h>

#include <limits>

namespace callbridge::client {
namespace {

TEST(ArenaLayoutTest, WhatIsGivenBackIsTakenAgain) {
  ArenaLayout arena;
  ASSERT_EQ(*arena.Take(100), 0u);
  const size_t second = *arena.Take(3);
  const size_t size = arena.size();
  EXPECT_GE(second, 100u);
  EXPECT_GE(size, second + 3);
  arena.GiveBack(0, 100);
  EXPECT_EQ(*arena.Take(100), 0u);
  arena.GiveBack(second, 3);
  EXPECT_EQ(*arena.Take(3), second);
  EXPECT_EQ(arena.size(), size);
}

TEST(ArenaLayoutTest, TheRestOfABlockIsABlock) {
  ArenaLayout arena;
  ASSERT_EQ(*arena.Take(200), 0u);
  const size_t size = arena.size();
  arena.GiveBack(0, 200);
  EXPECT_EQ(*arena.Take(1), 0u);
  const size_t rest = *arena.Take(1);
  EXPECT_GT(rest, 0u);
  EXPECT_LT(rest, size);
  EXPECT_EQ(arena.size(), size);
}

// Each array is aligned, and of the free blocks the smallest that is large enough is taken.
TEST(ArenaLayoutTest, ABlockOfTheSizeItselfIsTakenFirst) {
  ArenaLayout arena;
  ASSERT_EQ(*arena.Take(1), 0u);
  ASSERT_EQ(*arena.Take(300), 64u);
  ASSERT_EQ(*arena.Take(64), 384u);
  ASSERT_EQ(*arena.Take(100), 448u);
  ASSERT_EQ(*arena.Take(65), 576u);
  EXPECT_EQ(arena.size(), 704u);
  arena.GiveBack(64, 300);
  arena.GiveBack(448, 100);
  EXPECT_EQ(*arena.Take(128), 448u) << "nothing of it is left";
  EXPECT_EQ(*arena.Take(129), 64u);
  EXPECT_EQ(*arena.Take(65), 256u) << "what was left behind the last one";
  EXPECT_EQ(*arena.Take(1), 704u);
  EXPECT_EQ(arena.size(), 768u);
}

TEST(ArenaLayoutTest, NothingTakesNothing) {
  ArenaLayout arena;
  EXPECT_EQ(*arena.Take(0), 0u);
  arena.GiveBack(0, 0);
  EXPECT_EQ(arena.size(), 0u);
}

TEST(ArenaLayoutTest, RefusesWhatNoMemoryHolds) {
  ArenaLayout arena;
  ASSERT_TRUE(arena.Take(64).ok());
  EXPECT_EQ(arena.Take(std::numeric_limits<size_t>::max() / 2).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(arena.Take(128).status().code(), absl::StatusCode::kOk);
  const absl::Status status = arena.Take(size_t{1} << 63).status();
  EXPECT_EQ(status.message(),
            "the module's arrays take more than 192 bytes, and the next one 9223372036854775808");
  EXPECT_EQ(arena.size(), 192u);
}

}  // namespace
}  // namespace callbridge::client
