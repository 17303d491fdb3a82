#include "callbridge/runtime/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "callbridge/runtime/file_descriptor.h"

namespace callbridge {
namespace {

constexpr size_t kMaximumOutput = size_t{16} << 20;

absl::Status StartError(const ChildProcess& child, int error) {
  return absl::UnavailableError(
      absl::StrCat(child.command.front(), " cannot be started: ", std::strerror(error)));
}

// As exec takes them; views to `words`.
std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

absl::string_view NameOf(absl::string_view variable) {
  return variable.substr(0, variable.find('='));
}

std::vector<std::string> Environment(const std::vector<std::string>& changes) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const bool is_changed = std::any_of(changes.begin(), changes.end(), [&](const auto& change) {
      return NameOf(change) == NameOf(*variable);
    });
    if (!is_changed) variables.emplace_back(*variable);
  }
  for (const std::string& change : changes) {
    if (absl::StrContains(change, "=")) variables.push_back(change);
  }
  return variables;
}

// What posix_spawn does in the child before the program runs.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  void Set(const ChildProcess& child, int pipe) {
    for (int standard : {0, 1, 2}) {
      posix_spawn_file_actions_addopen(&actions_, standard, "/dev/null", O_RDWR, 0);
    }
    for (int number : child.gathered) {
      posix_spawn_file_actions_adddup2(&actions_, pipe, number);
    }
    // A group of its own, to be killed as one; signals as a new program expects them.
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Reads until the pipe's end. False where that did not come before the deadline.
bool ReadUntil(absl::Time deadline, int pipe, std::string& output) {
  char buffer[1 << 14];
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    if (left <= absl::ZeroDuration()) return false;
    pollfd readable{pipe, POLLIN, 0};
    const absl::Duration step = std::min(left, absl::Hours(1));  // poll() counts in an int
    const int ready = poll(&readable, 1, static_cast<int>(absl::ToInt64Milliseconds(step)) + 1);
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    const ssize_t count = read(pipe, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    const size_t room = kMaximumOutput - output.size();
    output.append(buffer, std::min(static_cast<size_t>(count), room));
  }
}

// Whether it ended before the deadline: it may close the pipe and live on. Its number stays taken.
bool EndsBefore(absl::Time deadline, pid_t process) {
  const absl::Duration longest = absl::Milliseconds(5);
  for (absl::Duration pause = absl::Microseconds(50);; pause = std::min(2 * pause, longest)) {
    siginfo_t info = {};
    const int result = waitid(P_PID, process, &info, WEXITED | WNOHANG | WNOWAIT);
    if (result == 0 && info.si_pid == process) return true;
    if (result != 0 && errno != EINTR) return true;
    if (absl::Now() > deadline) return false;
    absl::SleepFor(pause);
  }
}

}  // namespace

absl::StatusOr<ChildOutcome> RunChild(const ChildProcess& child) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return StartError(child, errno);
  FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  SpawnSettings settings;
  settings.Set(child, writing.number());
  const std::vector<std::string> environment = Environment(child.variables);
  pid_t process = 0;
  const absl::Time deadline = absl::Now() + child.limit;
  const int error = posix_spawn(&process, child.command.front().c_str(), settings.actions(),
                                settings.attributes(), Pointers(child.command).data(),
                                Pointers(environment).data());
  if (error != 0) return StartError(child, error);
  writing = FileDescriptor(-1);

  ChildOutcome outcome;
  outcome.timed_out =
      !ReadUntil(deadline, reading.number(), outcome.output) || !EndsBefore(deadline, process);
  kill(-process, SIGKILL);  // what it left running, too
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (outcome.timed_out) return outcome;
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  if (WIFEXITED(status)) outcome.exit_status = WEXITSTATUS(status);
  return outcome;
}

std::string WhatWentWrong(const ChildOutcome& outcome, absl::Duration limit) {
  if (outcome.timed_out) return absl::StrCat("did not end in ", absl::FormatDuration(limit));
  if (outcome.signal != 0) {
    const char* name = sigabbrev_np(outcome.signal);
    return absl::StrCat("ended by SIG",
                        name != nullptr ? name : absl::StrCat(outcome.signal).c_str());
  }
  if (outcome.exit_status != 0) return absl::StrCat("exited with status ", outcome.exit_status);
  return "";
}

}  // namespace callbridge
