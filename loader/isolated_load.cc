#include "callbridge/loader/isolated_load.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/loader/helper_program.h"

namespace callbridge {

absl::Status TryLoadElsewhere(const std::string& path, absl::Duration limit) {
  absl::StatusOr<std::string> program =
      FindHelperProgram("callbridge-load", "CALLBRIDGE_LOAD_PROGRAM");
  if (!program.ok()) return program.status();
  ChildProcess child;
  child.command = {*program, PathForChild(path), LoadedCallbridge()};
  child.gathered = {kLoadedDescriptor};
  child.limit = limit;
  absl::StatusOr<ChildOutcome> outcome = RunChild(child);
  if (!outcome.ok()) return outcome.status();
  if (!outcome->output.empty()) return absl::OkStatus();
  const std::string wrong = WhatWentWrong(*outcome, limit);
  const std::string message =
      absl::StrCat("a constructor ends the process that loads it: in isolation it ",
                   wrong.empty() ? "exited with status 0" : wrong);
  return outcome->timed_out ? absl::DeadlineExceededError(message) : absl::InternalError(message);
}

}  // namespace callbridge
