// Forks while another thread has the lock. The thread sanitizer ends such processes, so this file's
// thread is C's, by which it is no test there.
#include "callbridge/abi/table_lock.h"

#include <threads.h>
#include <unistd.h>

#include <atomic>

#include "gtest/gtest.h"
#include "tests/forked_process.h"

namespace callbridge {
namespace {

// One of these halves that is not the other, in a child, was copied in the midst of a change.
struct Table {
  int one_half = 0;
  int other_half = 0;
};

struct Shared {
  Table table;
  std::atomic<int> changes{0};
  std::atomic<bool> ends{false};
};

int Change(void* data) {
  auto& shared = *static_cast<Shared*>(data);
  while (!shared.ends) {
    const TableLock lock;
    ++shared.table.one_half;
    ++shared.changes;
    usleep(1000);  // nearly always has the lock
    ++shared.table.other_half;
  }
  return 0;
}

TEST(TableLockTest, ChildrenFindItFreeAndWhatItGuardsWhole) {
  Shared shared;
  thrd_t thread;
  ASSERT_EQ(thrd_create(&thread, &Change, &shared), thrd_success);
  while (shared.changes == 0) usleep(100);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(InChild([&] {
                const TableLock lock;
                return shared.table.one_half == shared.table.other_half ? 0 : 1;
              }),
              0)
        << "a signal of 14: the child waited for the lock";
    if (HasFailure()) break;
  }
  shared.ends = true;
  thrd_join(thread, nullptr);
  const TableLock in_the_parent_it_is_free;
}

}  // namespace
}  // namespace callbridge
