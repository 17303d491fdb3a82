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
}

}  // namespace
}  // namespace callbridge::client
