#include "callbridge/loader/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace {

std::atomic<int> waits{0};
std::atomic<int64_t> waited_nanoseconds{0};

}  // namespace

// In place of the C library's, which RunChild() waits in.
extern "C" int ppoll(pollfd* files, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  ++waits;
  waited_nanoseconds += timeout->tv_sec * 1'000'000'000 + timeout->tv_nsec;
  timespec left = *timeout;  // the system call changes it
  return static_cast<int>(syscall(SYS_ppoll, files, count, &left, mask, size_t{8}));
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
  setenv("CALLBRIDGE_TEST_AB", "ab", 1);
  EXPECT_EQ(
      RunShell("echo $CALLBRIDGE_TEST_A-$CALLBRIDGE_TEST_B-$CALLBRIDGE_TEST_AB", child).output,
      "-c=d-ab\n");
  EXPECT_EQ(RunShell("env | grep -c CALLBRIDGE_TEST_B=", child).output, "1\n");
}

// Whatever this process ignores or blocks.
TEST(ChildProcessTest, StartsWithSignalsAsTheyAreByDefault) {
  auto* before = std::signal(SIGUSR2, SIG_IGN);
  sigset_t blocked, mask;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &mask);
  ChildProcess child;  // not by a shell, which unblocks signals itself
  child.command = {"/bin/sed", "-nE", "s/Sig(Blk|Ign):.//p", "/proc/self/status"};
  const absl::StatusOr<ChildOutcome> outcome = RunChild(child);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  std::signal(SIGUSR2, before);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  const std::string& seen = outcome->output;
  const std::vector<std::string> masks = absl::StrSplit(seen, '\n', absl::SkipEmpty());
  ASSERT_EQ(masks.size(), 2u) << seen;
  for (const std::string& hexadecimal : masks) {
    // The C library has signals of its own behind the first 31.
    EXPECT_EQ(std::stoull(hexadecimal, nullptr, 16) & 0x7fffffff, 0u) << seen;
  }
}

TEST(ChildProcessTest, SaysHowItEnded) {
  const absl::Duration limit = absl::Seconds(1);
  EXPECT_EQ(WhatWentWrong(RunShell("true"), limit), "");
  EXPECT_EQ(WhatWentWrong(RunShell("exit 3"), limit), "exited with status 3");
  EXPECT_EQ(WhatWentWrong(RunShell("kill -SEGV $$"), limit), "ended by SIGSEGV");
  EXPECT_EQ(WhatWentWrong(RunShell("kill -40 $$"), limit), "ended by SIG40");
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

// A limit that no number of milliseconds or nanoseconds holds is no reason to ask again and again,
// nor to wait for ever: each wait but the last few lasts.
TEST(ChildProcessTest, WaitsAsleep) {
  for (const absl::Duration limit : {absl::InfiniteDuration(), absl::Hours(24 * 30)}) {
    ChildProcess child;
    child.limit = limit;
    waits = 0;
    waited_nanoseconds = 0;
    EXPECT_EQ(RunShell("sleep 0.1; echo slept", child).output, "slept\n");
    EXPECT_GE(waited_nanoseconds, 100'000'000);
    EXPECT_GE(waited_nanoseconds / waits, 5'000'000);
  }
}

// As under nohup's kin: the kernel throws the status away.
TEST(ChildProcessTest, SaysThatItDoesNotKnowWhereSigchldIsIgnored) {
  auto* before = std::signal(SIGCHLD, SIG_IGN);
  const ChildOutcome outcome = RunShell("echo said; kill -SEGV $$");
  std::signal(SIGCHLD, before);
  EXPECT_EQ(outcome.output, "said\n");
  EXPECT_TRUE(outcome.is_unknown);
  EXPECT_NE(WhatWentWrong(outcome, absl::Seconds(1)).find("ignores SIGCHLD"), std::string::npos);
}

std::atomic<int> handled{0};
void Handle(int) { ++handled; }

// Sends the signal to this thread once the child has begun.
absl::Status StatusWithSignal(int signal, const std::string& script) {
  ChildProcess child;
  child.command = {"/bin/sh", "-c", script};
  child.limit = absl::Seconds(60);
  const pthread_t self = pthread_self();
  std::thread sender([=] {
    absl::SleepFor(absl::Milliseconds(200));
    pthread_kill(self, signal);
  });
  absl::Status status = RunChild(child).status();
  sender.join();
  return status;
}

TEST(ChildProcessTest, EndsAtAnInterruptThatIsHandled) {
  for (const char* script : {"sleep 60", "exec >&- 2>&-; sleep 60"}) {
    struct sigaction before;
    struct sigaction handler = {};
    handler.sa_handler = Handle;
    handler.sa_flags = SA_RESTART;
    sigaction(SIGINT, &handler, &before);
    handled = 0;
    const absl::Time start = absl::Now();
    const absl::Status status = StatusWithSignal(SIGINT, script);
    EXPECT_LT(absl::Now() - start, absl::Seconds(20));
    EXPECT_EQ(status, absl::CancelledError("/bin/sh was killed, because a SIGINT came"));
    EXPECT_EQ(handled, 1);
    sigaction(SIGINT, &before, nullptr);
  }
}

TEST(ChildProcessTest, OtherSignalsAreHandledMeanwhile) {
  auto* before = std::signal(SIGUSR1, Handle);
  handled = 0;
  EXPECT_TRUE(StatusWithSignal(SIGUSR1, "sleep 0.5").ok());
  EXPECT_EQ(handled, 1);
  std::signal(SIGUSR1, before);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGINT), 0);
}

TEST(ChildProcessTest, AnIgnoredInterruptStaysIgnored) {
  auto* before = std::signal(SIGINT, SIG_IGN);
  EXPECT_TRUE(StatusWithSignal(SIGINT, "sleep 0.5").ok());
  std::signal(SIGINT, before);
}

// It is some other thread's.
TEST(ChildProcessTest, ABlockedInterruptStaysPending) {
  sigset_t blocked, mask, pending;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  pthread_sigmask(SIG_BLOCK, &blocked, &mask);
  EXPECT_TRUE(StatusWithSignal(SIGINT, "sleep 0.4").ok());
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGINT), 1);
  int signal = 0;
  sigwait(&blocked, &signal);
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

// The pipe would have the number of an end that the child replaces.
TEST(ChildProcessTest, WorksWithClosedDescriptors) {
  ::testing::internal::CaptureStdout();  // keeps what number 1 was
  const int output = dup(STDOUT_FILENO);
  const int input = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  const std::string said = RunShell("echo out; echo error >&2; cat").output;
  dup2(output, STDOUT_FILENO);
  if (input >= 0) dup2(input, STDIN_FILENO);
  ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(said, "out\nerror\n");
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
  rlimit usual;
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &usual), 0);
  const rlimit none = {0, usual.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const absl::Status status = RunChild(child).status();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &usual), 0);
  EXPECT_EQ(status,
            absl::UnavailableError("/nowhere/program cannot be started: Too many open files"));
}

TEST(ChildProcessTest, PathsMeanTheSameInAChild) {
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(PathForChild("x.so"), here + "/x.so");
  EXPECT_EQ(PathForChild("./a/../x.so"), here + "/x.so");
  EXPECT_EQ(PathForChild("/a/./b/../x.so"), "/a/x.so");
  std::string folder = ::testing::TempDir() + "/callbridge-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  folder = std::filesystem::canonical(folder);
  const std::string file = folder + "/file", link = folder + "/link";
  std::ofstream(file) << "x";
  std::filesystem::create_symlink(file, link);
  EXPECT_EQ(PathForChild(link), link) << "$ORIGIN is the link's folder";
  const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(PathForChild(absl::StrCat("/proc/self/fd/", opened)), file);
  EXPECT_EQ(PathForChild(absl::StrCat("/dev/fd/", opened)), file);
  close(opened);
  EXPECT_EQ(PathForChild("/dev/nowhere"), "/dev/nowhere");
  std::filesystem::remove_all(folder);
}

// ---- Forks

TEST(ForkTest, GathersWhatItSays) {
  const absl::StatusOr<ChildOutcome> outcome = RunFork(
      [](int output) {
        const std::string said = absl::StrCat("in ", getpid());
        if (write(output, said.data(), said.size()) < 0) _exit(1);
      },
      absl::Seconds(10));
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(WhatWentWrong(*outcome, absl::Seconds(10)), "");
  EXPECT_TRUE(absl::StartsWith(outcome->output, "in "));
  EXPECT_NE(outcome->output, absl::StrCat("in ", getpid()));
}

TEST(ForkTest, SaysHowItEnded) {
  const absl::Duration limit = absl::Milliseconds(300);
  const auto end = [&](absl::FunctionRef<void(int)> in_child) {
    const absl::StatusOr<ChildOutcome> outcome = RunFork(in_child, limit);
    return outcome.ok() ? WhatWentWrong(*outcome, limit) : outcome.status().ToString();
  };
  EXPECT_EQ(end([](int) { std::exit(3); }), "exited with status 3");
  EXPECT_EQ(end([](int) { std::raise(SIGSEGV); }), "ended by SIGSEGV");
  EXPECT_EQ(end([](int) { std::terminate(); }), "ended by SIGABRT");
  EXPECT_EQ(end([](int) { std::quick_exit(4); }), "");
  EXPECT_EQ(end([](int) { sleep(100); }), "did not end in 300ms");
}

// Whatever this process ignores, blocks or has closed.
TEST(ForkTest, BeginsAsAProgramDoes) {
  auto* before = std::signal(SIGUSR2, SIG_IGN);
  sigset_t blocked, mask;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, &mask);
  const absl::StatusOr<ChildOutcome> outcome = RunFork(
      [](int output) {
        sigset_t now;
        pthread_sigmask(SIG_SETMASK, nullptr, &now);
        const bool is_default = std::signal(SIGUSR2, SIG_DFL) == SIG_DFL;
        char nothing = 0;
        const bool is_empty = read(0, &nothing, 1) == 0;
        const char said[] = {is_default ? 'd' : '-', sigismember(&now, SIGUSR1) == 0 ? 'u' : '-',
                             is_empty ? 'e' : '-', getpgrp() == getpid() ? 'g' : '-'};
        if (write(output, said, sizeof(said)) < 0) _exit(1);
      },
      absl::Seconds(10));
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  std::signal(SIGUSR2, before);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->output, "dueg");
}

// Root has no limit.
TEST(ForkTest, NeedsAProcess) {
  const uid_t user = getuid();
  ASSERT_EQ(user == 0 ? setresuid(65534, 65534, 0) : 0, 0);
  rlimit before;
  getrlimit(RLIMIT_NPROC, &before);
  const rlimit none = {0, before.rlim_max};
  setrlimit(RLIMIT_NPROC, &none);
  const absl::Status status = RunFork([](int) {}, absl::Seconds(10)).status();
  setrlimit(RLIMIT_NPROC, &before);
  ASSERT_EQ(user == 0 ? setresuid(0, 0, 0) : 0, 0);
  EXPECT_EQ(status, absl::UnavailableError(
                        "this process cannot be forked: Resource temporarily unavailable"));
}

}  // namespace
}  // namespace callbridge
