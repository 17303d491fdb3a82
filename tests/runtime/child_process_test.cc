#include "callbridge/runtime/child_process.h"

#include <csignal>
#include <fstream>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"

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

// Whether it runs: one that has ended may still wait for its parent to look.
bool IsRunning(pid_t process) {
  std::ifstream file(absl::StrCat("/proc/", process, "/stat"));
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z";
}

TEST(ChildProcessTest, EndsWhatItLeftRunning) {
  const ChildOutcome outcome = RunShell("sleep 100 <&- >&- 2>&- & echo $!");
  EXPECT_EQ(WhatWentWrong(outcome, absl::Seconds(1)), "");
  pid_t left = 0;
  ASSERT_TRUE(absl::SimpleAtoi(outcome.output, &left)) << outcome.output;
  const absl::Time deadline = absl::Now() + absl::Seconds(10);
  while (IsRunning(left) && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(1));
  EXPECT_FALSE(IsRunning(left));
}

TEST(ChildProcessTest, CannotStartWhatIsNotThere) {
  ChildProcess child;
  child.command = {"/nowhere/program"};
  EXPECT_EQ(RunChild(child).status().message(),
            "/nowhere/program cannot be started: No such file or directory");
}

}  // namespace
}  // namespace callbridge
