// What the process's thread pool does in a process that was forked from one which had used it. The
// thread sanitizer ends such processes, so this file starts its threads by the pool alone.
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "callbridge/typed_ffi/host/thread_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/forked_process.h"

namespace callbridge {
namespace host {
namespace {

// Tasks that have been scheduled and not run.
class Awaited {
 public:
  void Schedule(int tasks) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      left_ += tasks;
    }
    for (int i = 0; i < tasks; ++i) {
      ProcessThreads().Schedule([](void* data) { static_cast<Awaited*>(data)->Done(); }, this);
    }
  }
  void Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return left_ == 0; });
  }

 private:
  void Done() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--left_ == 0) changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int left_ = 0;
};

void RunTasks(int tasks) {
  Awaited awaited;
  awaited.Schedule(tasks);
  awaited.Wait();
}

TEST(ForkTest, ChildHasThreadsOfItsOwn) {
  RunTasks(8);
  EXPECT_EQ(InChild([] {
              RunTasks(8);
              // And so has a child's child.
              return InChild([] { return RunTasks(8), 0; });
            }),
            0);
  RunTasks(8);
}

// Keeps all of the pool's threads in tasks until it is destroyed.
class Occupied {
 public:
  Occupied() {
    for (int64_t i = 0; i < ProcessThreads().num_threads(); ++i) {
      ++running_;
      ProcessThreads().Schedule([](void* data) { static_cast<Occupied*>(data)->Stay(); }, this);
    }
  }
  ~Occupied() {
    std::unique_lock<std::mutex> lock(mutex_);
    over_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  void Stay() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return over_; });
    if (--running_ == 0) changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  int running_ = 0;
  bool over_ = false;
};

TEST(ForkTest, QueuedTasksRunInTheParentAlone) {
  std::atomic<int> ran{0};
  Awaited later;
  {
    Occupied occupied;
    for (int i = 0; i < 100; ++i) {
      ProcessThreads().Schedule([](void* data) { ++*static_cast<std::atomic<int>*>(data); }, &ran);
    }
    later.Schedule(1);
    EXPECT_EQ(InChild([&] {
                RunTasks(100);
                return ran.load();
              }),
              0);
    EXPECT_EQ(ran, 0);
  }
  later.Wait();
  RunTasks(1);
  while (ran != 100) usleep(1000);
}

TEST(ForkTest, ChildOfATaskHasThreadsOfItsOwn) {
  struct Forked : Awaited {
    std::atomic<int> status{-1};
  } forked;
  ProcessThreads().Schedule(
      [](void* data) {
        static_cast<Forked*>(data)->status = InChild([] { return RunTasks(8), 0; });
      },
      &forked);
  while (forked.status == -1) usleep(1000);
  EXPECT_EQ(forked.status, 0);
}

// Tasks that schedule themselves anew, so that the pool's lock is held at nearly all times.
TEST(ForkTest, ForksWhileOthersHoldTheLock) {
  struct Again {
    static void Run(void* data) {
      auto& again = *static_cast<Again*>(data);
      if (again.over) {
        --again.left;
      } else {
        ProcessThreads().Schedule(&Run, data);
      }
    }
    std::atomic<bool> over{false};
    std::atomic<int> left{16};
  } again;
  for (int i = 0; i < 16; ++i) ProcessThreads().Schedule(&Again::Run, &again);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(InChild([] { return RunTasks(4), 0; }), 0);
  }
  again.over = true;
  while (again.left > 0) usleep(1000);
}

}  // namespace
}  // namespace host
}  // namespace callbridge
