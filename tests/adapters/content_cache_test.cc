#include "callbridge/adapters/content_cache.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace callbridge {
namespace {

// Two contents of one hash. Abseil multiplies the first eight bytes, xor a constant, by the next
// eight, xor a seed of the process: with that constant in them the next eight are of no account.
const std::string kConstant = "\x44\x73\x70\x03\x2e\x8a\x19\x13";
const std::string kContent = kConstant + "one of two that have one hash";
const std::string kOther = kConstant + "ONE OF two that have one hash";

bool HaveOneHash() {
  return absl::Hash<absl::string_view>()(kContent) == absl::Hash<absl::string_view>()(kOther);
}

TEST(ContentCacheTest, FindsWhatWasAddedByItsContent) {
  ContentCache<int> cache;
  EXPECT_EQ(cache.Find("a"), nullptr);
  // More contents than buckets.
  for (int i = 0; i < 100; ++i) EXPECT_EQ(cache.Add(std::to_string(i), i), i);
  for (int i = 0; i < 100; ++i) {
    const int* const found = cache.Find(std::to_string(i));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, i);
  }
  EXPECT_EQ(cache.Find("100"), nullptr);
  EXPECT_EQ(cache.Find(""), nullptr);
  EXPECT_EQ(cache.Add("", -1), -1);
  EXPECT_EQ(*cache.Find(""), -1);
}

TEST(ContentCacheTest, TheFirstValueOfAContentStays) {
  ContentCache<int> cache;
  int& first = cache.Add("content", 1);
  EXPECT_EQ(&cache.Add("content", 2), &first);
  EXPECT_EQ(cache.Find("content"), &first);
  EXPECT_EQ(first, 1);
}

TEST(ContentCacheTest, TellsContentsOfOneHashApart) {
  if (!HaveOneHash()) GTEST_SKIP() << "this release of abseil hashes them otherwise";
  ContentCache<int> cache;
  cache.Add(kContent, 1);
  EXPECT_EQ(cache.Find(kOther), nullptr);
  EXPECT_EQ(cache.Add(kOther, 2), 2);
  EXPECT_EQ(*cache.Find(kContent), 1);
  EXPECT_EQ(*cache.Find(kOther), 2);
}

TEST(ContentCacheTest, ThreadsThatAddTheSameGetTheSame) {
  constexpr int kThreads = 16, kContents = 500;
  ContentCache<int> cache;
  std::atomic<int> ready{0};
  std::vector<std::vector<int*>> values(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      ++ready;
      while (ready < kThreads) std::this_thread::yield();
      for (int i = 0; i < kContents; ++i) values[t].push_back(&cache.Add(std::to_string(i), t));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 1; t < kThreads; ++t) EXPECT_EQ(values[t], values[0]);
}

}  // namespace
}  // namespace callbridge
