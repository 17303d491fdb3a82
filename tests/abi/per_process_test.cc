#include "callbridge/abi/per_process.h"

#include <atomic>
#include <mutex>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/forked_process.h"

namespace callbridge {
namespace {

TEST(PerProcessTest, IsOneObjectByName) {
  struct Number;
  struct Other;
  PerProcess<int, Number>::Get(3) = 4;
  EXPECT_EQ((PerProcess<int, Number>::Get(3)), 4);
  EXPECT_EQ((PerProcess<int, Other>::Get(5)), 5);
}

TEST(PerProcessTest, AForkedProcessBeginsWithANewOne) {
  struct Number;
  PerProcess<int, Number>::Get(3) = 4;
  EXPECT_EQ(InChild([] {
              if (PerProcess<int, Number>::Get(3) != 3) return 1;
              PerProcess<int, Number>::Get(3) = 5;
              return InChild([] { return PerProcess<int, Number>::Get(3) == 3 ? 0 : 2; });
            }),
            0);
  EXPECT_EQ((PerProcess<int, Number>::Get(3)), 4);
}

TEST(PerProcessTest, AMutexThatIsLockedAtTheForkIsNotInTheChild) {
  struct Mutex;
  const std::lock_guard<std::mutex> lock(PerProcess<std::mutex, Mutex>::Get());
  EXPECT_EQ(InChild([] {
              const std::lock_guard<std::mutex> childs_own(PerProcess<std::mutex, Mutex>::Get());
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace callbridge
