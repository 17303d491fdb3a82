#include "callbridge/adapters/evicting_cache.h"

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/counted_allocations.h"

namespace callbridge {
namespace {

using ::testing::Contains;
using ::testing::Not;

std::atomic<int> alive{0};
struct Counted {
  Counted() { ++alive; }
  ~Counted() {
    if (when_destroyed != nullptr) when_destroyed();
    content.clear();
    --alive;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  std::string content;
  void (*when_destroyed)() = nullptr;
};
using Cache = EvictingCache<Counted>;

void Add(Cache& cache, int number) {
  const std::string content = std::to_string(number);
  cache.FindOrAdd(content)->content = content;
}
std::set<int> Kept(const Cache& cache, int numbers) {
  std::set<int> kept;
  for (int i = 0; i < numbers; ++i) {
    const std::string content = std::to_string(i);
    const Cache::Held held = cache.Find(content);
    if (!held) continue;
    EXPECT_EQ(held->content, content);
    kept.insert(i);
  }
  return kept;
}

// Two contents of one hash. Abseil multiplies the first eight bytes, xor a constant, by the next
// eight, xor a seed of the process: with that constant in them the next eight are of no account.
const std::string kConstant = "\x44\x73\x70\x03\x2e\x8a\x19\x13";
const std::string kContent = kConstant + "one of two that have one hash";
const std::string kOther = kConstant + "ONE OF two that have one hash";

bool HaveOneHash() {
  return absl::Hash<absl::string_view>()(kContent) == absl::Hash<absl::string_view>()(kOther);
}

TEST(EvictingCacheTest, FindsWhatWasAddedByItsContent) {
  Cache cache(2000);
  EXPECT_FALSE(cache.Find("0"));
  for (int i = 0; i < 1000; ++i) Add(cache, i);
  EXPECT_EQ(Kept(cache, 1000).size(), 1000u);
  EXPECT_FALSE(cache.Find("1000"));
  EXPECT_FALSE(cache.Find(""));
  cache.FindOrAdd("")->content = "empty";
  EXPECT_EQ(cache.Find("")->content, "empty");
  EXPECT_EQ(&*cache.FindOrAdd("7"), &*cache.Find("7"));
}

TEST(EvictingCacheTest, TellsContentsOfOneHashApart) {
  if (!HaveOneHash()) GTEST_SKIP() << "this release of abseil hashes them otherwise";
  Cache cache(1);
  cache.FindOrAdd(kContent)->content = kContent;
  EXPECT_FALSE(cache.Find(kOther));
  // In the place of the one that had its hash.
  cache.FindOrAdd(kOther)->content = kOther;
  EXPECT_FALSE(cache.Find(kContent));
  EXPECT_EQ(cache.Find(kOther)->content, kOther);
}

TEST(EvictingCacheTest, NeverHasMoreThanItsCapacity) {
  {
    Cache cache(50);
    for (int i = 0; i < 10000; ++i) {
      Add(cache, i);
      EXPECT_LE(alive, 50);
    }
    EXPECT_EQ(Kept(cache, 10000).size(), 50u);
    // An evicted one comes back as a new one.
    EXPECT_EQ(cache.FindOrAdd("0")->content, "");
  }
  EXPECT_EQ(alive, 0);
}

TEST(EvictingCacheTest, EvictsNoneThatIsHeld) {
  Cache cache(10);
  Add(cache, 0);
  {
    const Cache::Held held = cache.Find("0");
    for (int i = 1; i < 100; ++i) Add(cache, i);
    EXPECT_EQ(held->content, "0");
    EXPECT_EQ(&*cache.Find("0"), &*held);
  }
  for (int i = 100; i < 200; ++i) Add(cache, i);
  EXPECT_THAT(Kept(cache, 200), Not(Contains(0)));
}

TEST(EvictingCacheTest, EvictsNoneThatWasLookedUpLately) {
  Cache cache(10);
  for (int i = 0; i < 1000; ++i) {
    Add(cache, i);
    EXPECT_TRUE(cache.Find("0"));
  }
}

TEST(EvictingCacheTest, EvictsOneWhereAllWereLookedUpLately) {
  Cache cache(10);
  for (int i = 0; i < 100; ++i) {
    Add(cache, i);
    EXPECT_TRUE(cache.Find(std::to_string(i)));
    EXPECT_LE(alive, 10);
  }
}

TEST(EvictingCacheTest, WhatIsHeldInAnothersPlaceLetsThatGo) {
  Cache cache(2);
  Add(cache, 0);
  Add(cache, 1);
  Cache::Held held = cache.Find("0");
  held = cache.Find("1");
  Cache::Held& itself = held;
  held = std::move(itself);
  EXPECT_EQ(held->content, "1");
  for (int i = 2; i < 10; ++i) Add(cache, i);
  EXPECT_FALSE(cache.Find("0"));
  Cache::Held moved = std::move(held);
  EXPECT_FALSE(held);  // NOLINT: that is what is asked
  EXPECT_EQ(moved->content, "1");
  for (int i = 10; i < 20; ++i) Add(cache, i);
  EXPECT_TRUE(cache.Find("1"));
  moved = Cache::Held();
  for (int i = 20; i < 30; ++i) Add(cache, i);
  EXPECT_FALSE(cache.Find("1"));
  EXPECT_LE(alive, 2);
}

// A value goes, and its place is another's; the table stays as it is.
TEST(EvictingCacheTest, AFullOneAllocatesNoMoreThanItsValues) {
  Cache cache(8);
  for (int i = 0; i < 100; ++i) Add(cache, i);
  [[maybe_unused]] const int before = allocations;
  for (int i = 100; i < 10100; ++i) Add(cache, i);
#ifndef CALLBRIDGE_COUNTS_NOTHING
  EXPECT_EQ(allocations - before, 10000);
#endif
  EXPECT_EQ(Kept(cache, 10100).size(), 8U);
}

TEST(EvictingCacheTest, GrowsWhereAllAreHeld) {
  Cache cache(4);
  std::vector<Cache::Held> held;
  for (int i = 0; i < 40; ++i) {
    Add(cache, i);
    held.push_back(cache.Find(std::to_string(i)));
  }
  EXPECT_EQ(Kept(cache, 40).size(), 40u);
}

// As the deleter of a handler's state may do.
TEST(EvictingCacheTest, AnEvictedValueMayUseTheCache) {
  static Cache* cache;
  Cache two(2);
  cache = &two;
  for (const char* content : {"a", "b", "c", "d"}) {
    two.FindOrAdd(content)->when_destroyed = [] { cache->FindOrAdd("of a destructor"); };
  }
  EXPECT_TRUE(two.Find("of a destructor"));
  for (const char* content : {"a", "b", "c", "d"}) {
    if (const Cache::Held held = two.Find(content)) held->when_destroyed = nullptr;
  }
  cache = nullptr;
}

TEST(EvictingCacheTest, ThreadsHoldWhatOthersWouldEvict) {
  constexpr int kThreads = 8, kContents = 60, kRounds = 3000;
  Cache cache(20);
  std::atomic<int> ready{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      for (int i = 0; i < kRounds; ++i) {
        const std::string content = std::to_string((i * (t + 1)) % kContents);
        Cache::Held held = cache.Find(content);
        if (!held) held = cache.FindOrAdd(content);
        // What a value is told first stays, as long as it is held by anyone.
        static std::mutex telling;
        {
          const std::lock_guard<std::mutex> lock(telling);
          if (held->content.empty()) held->content = content;
        }
        if (i % 16 == 0) std::this_thread::yield();
        const std::lock_guard<std::mutex> lock(telling);
        if (held->content != content) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  // Held ones may have made it grow.
  EXPECT_LE(alive, 20 + kThreads);
}

}  // namespace
}  // namespace callbridge
