// Runs a program that may crash or never end, and gathers what it says.
#ifndef CALLBRIDGE_LOADER_CHILD_PROCESS_H_
#define CALLBRIDGE_LOADER_CHILD_PROCESS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace callbridge {

struct ChildProcess {
  std::vector<std::string> command;  // the first is the program's path
  // Its environment is this process's, but for these: "NAME" is left out, "NAME=VALUE" set.
  std::vector<std::string> variables;
  // The file descriptors that it has besides an empty standard input: what it writes to these is
  // gathered. Standard output and error lead nowhere otherwise.
  std::vector<int> gathered = {1, 2};
  absl::Duration limit = absl::Seconds(10);
};

struct ChildOutcome {
  std::string output;  // its first 16 MiB
  // None of these: it ended by itself with status 0.
  bool timed_out = false;  // and was killed, with all that it started
  // Nobody knows: this process ignores SIGCHLD, or another thread of it waited for all children.
  bool is_unknown = false;
  int signal = 0;
  int exit_status = 0;
};

// Waits for the end. UNAVAILABLE where it cannot be started. CANCELLED where this thread handles a
// SIGINT meanwhile: the child is killed then. Other signals are handled at most 50 ms later than
// they come. Thread-safe.
absl::StatusOr<ChildOutcome> RunChild(const ChildProcess& child);

// The absolute path by which a child finds the file at `path`. What /dev/stdin and /proc/self/fd
// lead to is another file there; other links stay, since $ORIGIN is the folder of the link.
std::string PathForChild(const std::string& path);

// "ended by SIGSEGV", "exited with status 3", "did not end in 5s"; empty where it ended well.
std::string WhatWentWrong(const ChildOutcome& outcome, absl::Duration limit);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_CHILD_PROCESS_H_
