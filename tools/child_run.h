// Runs foreign code in a child process, so that a crash of it is an error of the command.
#ifndef CALLBRIDGE_TOOLS_CHILD_RUN_H_
#define CALLBRIDGE_TOOLS_CHILD_RUN_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "callbridge/tools/standard_files.h"

namespace callbridge {

// What foreign code is doing, for the error if the process ends meanwhile: "libold.so crashed with
// SIGSEGV in its constructors".
class ForeignCode {
 public:
  virtual ~ForeignCode() = default;

  // Says that foreign code runs now: `who` may end the process `where`. Replaces what was said
  // before. Keeps the first 8 KiB of each.
  virtual void Begins(absl::string_view who, absl::string_view where) = 0;
};

// Returns what `run` returns, in a process that returns it too: the caller of the program sees one
// exit status, one standard output and one standard error.
//
// In a child, `run` is called in a fork of this process, which must have no other thread. The
// parent passes signals on, waits, and returns the child's status. If a signal or exit() ends the
// child before `run` returns, the parent prints who ended it and where, and returns kFailure. The
// signals by which users and terminals end programs (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE) end
// the parent too. The child ends with its parent. If no child can be made, the parent prints an
// error that names --in-process and returns kFailure.
//
// Otherwise calls `run` in this process.
ExitStatus RunForeignCode(bool in_child, absl::FunctionRef<ExitStatus(ForeignCode&)> run);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_CHILD_RUN_H_
