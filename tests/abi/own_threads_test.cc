#include "callbridge/abi/own_threads.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <thread>
#include <vector>

namespace callbridge {
namespace {

bool IsBlocked(int signal) {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  return sigismember(&blocked, signal) == 1;
}

TEST(OwnThreadsTest, TheyTakeOnlySignalsThatTheyRaise) {
  bool takes_sent = false;
  bool takes_raised = true;
  std::vector<std::thread> threads;
  ASSERT_TRUE(AddOwnThread(threads, [&] {
    for (int sent : {SIGUSR1, SIGINT, SIGTERM, SIGCHLD, SIGALRM, SIGPROF, SIGABRT}) {
      if (!IsBlocked(sent)) takes_sent = true;
    }
    for (int raised : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) {
      if (IsBlocked(raised)) takes_raised = false;
    }
  }));
  ASSERT_EQ(threads.size(), 1u);
  threads[0].join();
  EXPECT_FALSE(takes_sent);
  EXPECT_TRUE(takes_raised);
}

TEST(OwnThreadsTest, TheMaskOfWhoStartsThemStays) {
  sigset_t one, before;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &one, &before);
  std::vector<std::thread> threads;
  ASSERT_TRUE(AddOwnThread(threads, [] {}));
  threads[0].join();
  EXPECT_TRUE(IsBlocked(SIGUSR2));
  EXPECT_FALSE(IsBlocked(SIGUSR1));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace callbridge
