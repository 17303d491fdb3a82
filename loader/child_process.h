// Runs programs that may crash or hang in processes of their own, and finds the helper programs
// and files of callbridge's that are looked up at run time.
#ifndef CALLBRIDGE_LOADER_CHILD_PROCESS_H_
#define CALLBRIDGE_LOADER_CHILD_PROCESS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace callbridge {

// ---- Running a program

struct ChildProcess {
  // The program's path, then its arguments.
  std::vector<std::string> command;
  // Changes to this process's environment: "NAME=VALUE" sets a variable, "NAME" removes it.
  std::vector<std::string> variables;
  // The child's file descriptors whose output is collected. Standard input is empty; standard
  // output and error are discarded unless they are listed here.
  std::vector<int> gathered = {1, 2};
  // Open files of this process's that the child gets, each with its number there. That must be
  // above 2, not gathered, and below the numbers of all of these in this process.
  std::vector<std::pair<int, int>> passed;
  absl::Duration limit = absl::Seconds(10);
};

// How a child ended. It exited with status 0 if all but `output` have their default values.
struct ChildOutcome {
  // The first 16 MiB of what was collected.
  std::string output;
  // It exceeded the limit and was killed, with every process that it started.
  bool timed_out = false;
  // Its status is lost: this process ignores SIGCHLD, or another thread waited for all children.
  bool is_unknown = false;
  // The signal that ended it; 0 if none.
  int signal = 0;
  int exit_status = 0;
};

// Runs `child` and waits until it ends. Returns UNAVAILABLE if the program cannot be started.
// Returns CANCELLED, and kills the child, if this thread handles a SIGINT meanwhile. Other signals
// are handled at most 50 ms late. Thread-safe.
absl::StatusOr<ChildOutcome> RunChild(const ChildProcess& child);

// Has a fork of this process call `in_child`, with the file whose output is collected, and waits
// until it ends, as RunChild() does; UNAVAILABLE if this process cannot be forked. The fork exits
// with status 0 when `in_child` returns. It has this thread alone and, if the process has a Python
// interpreter, the interpreter's lock. Its signals have their default actions, its standard files
// are empty or discarded, and exit() skips what this process would do at its end. Thread-safe.
absl::StatusOr<ChildOutcome> RunFork(absl::FunctionRef<void(int output)> in_child,
                                     absl::Duration limit);

// A crash of this process is a possible result: writes no core file, and ends with its parent.
void PrepareForCrash();

// Returns an absolute path by which a child finds the file at `path`. Resolves links below /dev and
// /proc, which lead to another file in the child. Keeps other links, since $ORIGIN is the folder of
// the link.
std::string PathForChild(const std::string& path);

// Returns a signal's name without "SIG", as "SEGV", or its number if it has no name.
std::string SignalName(int signal);

// Returns "ended by SIGSEGV", "exited with status 3" or "did not end in 5s"; empty if the child
// exited with status 0.
std::string WhatWentWrong(const ChildOutcome& outcome, absl::Duration limit);

// ---- callbridge's own helpers

// Returns the path of the helper program `name`. Looks only at the path in the environment variable
// `variable` if that is set; otherwise beside callbridge (build tree), then in
// ../libexec/callbridge relative to it (installed). Returns FAILED_PRECONDITION with the paths
// tried if none is executable.
absl::StatusOr<std::string> FindHelperProgram(const std::string& name, const char* variable);

// Returns the path of the library `name`. Looks only at the path in the environment variable
// `variable` if that is set; otherwise beside callbridge, then in the lib folder next to bin or
// libexec. Returns FAILED_PRECONDITION with the paths tried if none is readable.
absl::StatusOr<std::string> FindHelperLibrary(const std::string& name, const char* variable);

// Returns the path of the public header `name`. Looks only at the path in the environment variable
// `variable` if that is set; otherwise in the include folder next to lib, bin or libexec
// (installed), or in that of the source tree (build tree). Returns FAILED_PRECONDITION with the
// paths tried if none is readable.
absl::StatusOr<std::string> FindHeader(const std::string& name, const char* variable);

// Returns the folder that holds the Python package callbridge. Looks only at
// CALLBRIDGE_PYTHON_FOLDER if that is set; otherwise beside libexec (installed), the one that holds
// the package that libexec is in (a wheel), or beside build (source tree). Returns
// FAILED_PRECONDITION with the paths tried if there is none.
absl::StatusOr<std::string> FindPythonFolder();

// Returns the absolute path of the libcallbridge.so that this process has loaded; empty if none.
// Helper programs that open a file take it as their last argument.
std::string LoadedCallbridge();

// Opens the libcallbridge.so at `path`, so that ld.so finds it by its name for the files that the
// calling helper program opens next. Does nothing if `path` is empty.
void OpenLoadedCallbridge(const char* path);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_CHILD_PROCESS_H_
