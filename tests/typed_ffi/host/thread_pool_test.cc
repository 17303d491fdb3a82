// Tasks and their order, the modes in which the pool's threads run tasks, and a system that has no
// more threads.
#include "callbridge/typed_ffi/host/thread_pool.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/floating_point_mode.h"

namespace callbridge {
namespace host {
namespace {

// Where there is no such unit, what it should be.
unsigned X87Mode() {
  uint16_t mode = 0x37f;
#if defined(__x86_64__)
  __asm__ volatile("fnstcw %0" : "=m"(mode));
#endif
  return mode;
}

struct Modes {
  uint32_t main = 0, x87 = 0;
};
Modes ModesOf(ThreadPool& pool) {
  std::promise<Modes> modes;
  pool.Schedule(
      [](void* data) {
        static_cast<std::promise<Modes>*>(data)->set_value({FloatingPointMode(), X87Mode()});
      },
      &modes);
  return modes.get_future().get();
}

// Measured in tasks of jaxlib 0.6.2 and 0.10.2: subnormals are zeros, rounding is to nearest,
// nothing traps.
TEST(ThreadPoolTest, TasksRunInXlasModeWhoeverSchedules) {
  const uint32_t before = FloatingPointControl();
  fenv_t environment;
  ASSERT_EQ(fegetenv(&environment), 0);
  for (uint32_t mode : {
         kDefaultMode, kTowardZeroMode, kXlaMode,
#if defined(__x86_64__)
             uint32_t {
           0x1d80
         }  // division by zero traps
#endif
       }) {
    FixedThreadPool by_default(1);
    EXPECT_EQ(ModesOf(by_default).main, kXlaMode);
    fesetround(FE_TOWARDZERO);
    SetFloatingPointControl(mode);
    FixedThreadPool pool(1);
    const Modes modes = ModesOf(pool);
    const uint32_t own = FloatingPointMode();
    fesetenv(&environment);
    SetFloatingPointControl(before);
    EXPECT_EQ(modes.main, kXlaMode) << mode;
    EXPECT_EQ(modes.x87, 0x37fu) << mode;
    EXPECT_EQ(own, mode) << "the scheduling thread's own mode";
  }
}

// A mode that only the scheduling thread has, in the task and nowhere after it.
TEST(ThreadPoolTest, TasksRunInTheirSchedulersModeIfAsked) {
  const uint32_t before = FloatingPointControl();
  fenv_t environment;
  ASSERT_EQ(fegetenv(&environment), 0);
  for (uint32_t mode : {kDefaultMode, kTowardZeroMode, kXlaMode}) {
    fesetround(FE_TOWARDZERO);
    SetFloatingPointControl(mode);
    const Modes modes = ModesOf(ProcessThreadsInSchedulersMode());
    const unsigned x87 = X87Mode();
    fesetenv(&environment);
    SetFloatingPointControl(before);
    EXPECT_EQ(modes.main, mode);
    EXPECT_EQ(modes.x87, x87);
    for (int64_t i = 0; i < ProcessThreads().num_threads(); ++i) {
      EXPECT_EQ(ModesOf(ProcessThreads()).main, kXlaMode) << "a thread's own mode";
    }
  }
  EXPECT_EQ(ProcessThreadsInSchedulersMode().num_threads(), ProcessThreads().num_threads());
}

// The program's handlers run on its own threads. Of what a thread's own instructions raise, a
// handler is called where it happened, or the kernel ends the process.
TEST(ThreadPoolTest, ThreadsTakeNoSignalThatIsSent) {
  sigset_t before, of_task, after;
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &before), 0);
  FixedThreadPool pool(1);
  std::promise<void> done;
  std::pair<sigset_t*, std::promise<void>*> data = {&of_task, &done};
  pool.Schedule(
      [](void* data) {
        auto [mask, done] = *static_cast<std::pair<sigset_t*, std::promise<void>*>*>(data);
        pthread_sigmask(SIG_SETMASK, nullptr, mask);
        done->set_value();
      },
      &data);
  done.get_future().wait();
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &after), 0);
  for (int sent : {SIGINT, SIGTERM, SIGUSR1, SIGCHLD, SIGALRM, SIGPROF, SIGRTMIN}) {
    EXPECT_EQ(sigismember(&of_task, sent), 1) << sent;
    EXPECT_EQ(sigismember(&after, sent), sigismember(&before, sent)) << sent;
  }
  for (int raised : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
    EXPECT_EQ(sigismember(&of_task, raised), 0) << raised;
  }
}

TEST(ThreadPoolTest, RunsTasksItselfWhereTheSystemHasNoThreads) {
  pthread_attr_t usual, too_much;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_attr_init(&too_much), 0);
  // A stack of more than the address space.
  ASSERT_EQ(pthread_attr_setstacksize(&too_much, size_t{1} << 47), 0);
  ASSERT_EQ(pthread_setattr_default_np(&too_much), 0);
  FixedThreadPool pool(3);
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  pthread_attr_destroy(&usual);
  pthread_attr_destroy(&too_much);
  EXPECT_EQ(pool.num_threads(), 1);
  pthread_t here = {};
  pool.Schedule([](void* data) { *static_cast<pthread_t*>(data) = pthread_self(); }, &here);
  EXPECT_TRUE(pthread_equal(here, pthread_self()));
}

// ---- Tasks

TEST(FixedThreadPoolTest, HasAtLeastOneThread) {
  for (int64_t threads : {-3, 0, 1, 2}) {
    FixedThreadPool pool(threads);
    EXPECT_EQ(pool.num_threads(), std::max<int64_t>(threads, 1));
    std::promise<std::thread::id> id;
    pool.Schedule(
        [](void* data) {
          static_cast<std::promise<std::thread::id>*>(data)->set_value(std::this_thread::get_id());
        },
        &id);
    EXPECT_NE(id.get_future().get(), std::this_thread::get_id());
  }
  EXPECT_GE(ProcessThreads().num_threads(), 2);
  EXPECT_GE(ProcessThreads().num_threads(), std::thread::hardware_concurrency());
  EXPECT_EQ(&ProcessThreads(), &ProcessThreads());
}

TEST(FixedThreadPoolTest, OneThreadRunsTasksInTheirOrder) {
  static std::vector<int> ran;
  ran.clear();
  int numbers[20];
  {
    FixedThreadPool pool(1);
    for (int i = 0; i < 20; ++i) {
      numbers[i] = i;
      pool.Schedule([](void* data) { ran.push_back(*static_cast<int*>(data)); }, &numbers[i]);
    }
  }
  EXPECT_THAT(ran, ::testing::ElementsAreArray(numbers));
}

TEST(FixedThreadPoolTest, EndsWhenTasksOfTasksHaveEnded) {
  struct Shared {
    FixedThreadPool* pool;
    std::atomic<int> done{0};
  } shared;
  {
    FixedThreadPool pool(3);
    shared.pool = &pool;
    EXPECT_EQ(pool.num_threads(), 3);
    for (int i = 0; i < 100; ++i) {
      pool.Schedule(
          [](void* data) {
            auto& shared = *static_cast<Shared*>(data);
            ++shared.done;
            shared.pool->Schedule([](void* data) { ++static_cast<Shared*>(data)->done; }, data);
          },
          &shared);
    }
  }
  EXPECT_EQ(shared.done, 200);
}

}  // namespace
}  // namespace host
}  // namespace callbridge
