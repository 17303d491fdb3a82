#include "callbridge/runtime/child_process.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <limits>
#include <string>

#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace {

std::atomic<int> polls{0};
std::atomic<int> shortest_poll{std::numeric_limits<int>::max()};

}  // namespace

// In place of the C library's.
extern "C" int poll(pollfd* files, nfds_t count, int timeout) {
  ++polls;
  shortest_poll = std::min(shortest_poll.load(), timeout);
  return static_cast<int>(syscall(SYS_poll, files, count, timeout));
}

namespace callbridge {
namespace {

ChildOutcome RunShell(const std::string& script, ChildProcess child = {}) {
  child.command = {"/bin/sh", "-c", script};
  absl::StatusOr<ChildOutcome> outcome = RunChild(child);
  EXPECT_TRUE(outcome.ok()) << outcome.status();
  return outcome.ok() ? *outcome : ChildOutcome();
}

TEST(ChildProcessTest, GathersWhatItSays) {
  EXPECT_EQ(RunShell("echo out; echo error >&2; cat").output, "out\nerror\n");
  ChildProcess child;
  child.gathered = {3};
  EXPECT_EQ(RunShell("echo out; echo answer >&3", child).output, "answer\n");
  EXPECT_EQ(RunShell("head -c 20000000 /dev/zero").output.size(), size_t{16} << 20);
}

TEST(ChildProcessTest, ChangesTheEnvironment) {
  setenv("CALLBRIDGE_TEST_A", "a", 1);
  setenv("CALLBRIDGE_TEST_B", "b", 1);
  ChildProcess child;
  child.variables = {"CALLBRIDGE_TEST_A", "CALLBRIDGE_TEST_B=c=d"};
  EXPECT_EQ(RunShell("echo $CALLBRIDGE_TEST_A-$CALLBRIDGE_TEST_B", child).output, "-c=d\n");
}

TEST(ChildProcessTest, SaysHowItEnded) {
  const absl::Duration limit = absl::Seconds(1);
  EXPECT_EQ(WhatWentWrong(RunShell("true"), limit), "");
  EXPECT_EQ(WhatWentWrong(RunShell("exit 3"), limit), "exited with status 3");
  EXPECT_EQ(WhatWentWrong(RunShell("kill -SEGV $$"), limit), "ended by SIGSEGV");
}

// Also where it left a process behind, or closed the pipe and went on.
TEST(ChildProcessTest, EndsWhatDoesNotEnd) {
  ChildProcess child;
  child.limit = absl::Milliseconds(300);
  for (const char* script : {"sleep 100", "sleep 100 & exit 0", "exec >&- 2>&-; sleep 100",
                             "while :; do echo x; done"}) {
    const absl::Time start = absl::Now();
    const ChildOutcome outcome = RunShell(script, child);
    EXPECT_LT(absl::Now() - start, absl::Seconds(20)) << script;
    EXPECT_EQ(WhatWentWrong(outcome, child.limit), "did not end in 300ms") << script;
  }
}

// Milliseconds that an int does not hold are no reason to ask again and again, nor to wait for
// ever.
TEST(ChildProcessTest, WaitsAsleep) {
  for (const absl::Duration limit : {absl::InfiniteDuration(), absl::Hours(24 * 30)}) {
    ChildProcess child;
    child.limit = limit;
    polls = 0;
    EXPECT_EQ(RunShell("sleep 0.1; echo slept", child).output, "slept\n");
    EXPECT_LE(polls, 4);
    EXPECT_GT(shortest_poll, 0) << "no limit, or none at all";
  }
}

TEST(ChildProcessTest, CannotStartWhatIsNotThere) {
  ChildProcess child;
  child.command = {"/nowhere/program"};
  EXPECT_EQ(RunChild(child).status().message(),
            "/nowhere/program cannot be started: No such file or directory");
}

}  // namespace
}  // namespace callbridge
