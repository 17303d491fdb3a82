#include "callbridge/loader/typed_probe.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "callbridge/abi/loaded_object.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/loader/helper_program.h"
#include "callbridge/loader/target_library.h"
#include "callbridge/loader/probe_answer.h"

namespace callbridge {
namespace {

// The answer that a line from the helper holds: "typed answers the metadata query".
TypedAnswer ParseAnswer(absl::string_view line) {
  const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(' ', 1));
  TypedAnswer answer{TypedVerdict::kUnverified, std::string(parts.back())};
  if (parts.front() == TypedVerdictName(TypedVerdict::kTyped)) {
    answer.verdict = TypedVerdict::kTyped;
  }
  if (parts.front() == TypedVerdictName(TypedVerdict::kNotTyped)) {
    answer.verdict = TypedVerdict::kNotTyped;
  }
  return answer;
}

// The helper says "opened" before it calls the function, and what the answer was after that.
TypedAnswer Interpret(const ChildOutcome& outcome, absl::Duration limit) {
  std::vector<absl::string_view> lines =
      absl::StrSplit(outcome.output, '\n', absl::SkipWhitespace());
  const std::string wrong = WhatWentWrong(outcome, limit);
  if (lines.empty()) {
    return {TypedVerdict::kUnverified, absl::StrCat("its file cannot be opened: callbridge-probe ",
                                                    wrong.empty() ? "ended before it had" : wrong)};
  }
  if (lines.back() != "opened") return ParseAnswer(lines.back());
  if (outcome.signal == SIGALRM) {
    return {TypedVerdict::kNotTyped,
            absl::StrCat("asked for its metadata, it did not return in ", kSecondsToAnswer, " s")};
  }
  return {TypedVerdict::kNotTyped,
          absl::StrCat("asked for its metadata, it ", wrong.empty() ? "ended the process" : wrong)};
}

TypedAnswer RunProgram(const std::string& program, const std::string& path, uint64_t address) {
  ChildProcess child;
  child.command = {program, PathForChild(path), absl::StrFormat("%#x", address),
                   LoadedCallbridge()};
  child.gathered = {kAnswersDescriptor};
  child.limit = absl::Seconds(20);
  absl::StatusOr<ChildOutcome> outcome = RunChild(child);
  if (!outcome.ok()) return {TypedVerdict::kUnverified, std::string(outcome.status().message())};
  return Interpret(*outcome, child.limit);
}

}  // namespace

absl::string_view TypedVerdictName(TypedVerdict verdict) {
  switch (verdict) {
    case TypedVerdict::kUnverified:
      return "unverified";
    case TypedVerdict::kTyped:
      return "typed";
    case TypedVerdict::kNotTyped:
      return "not_typed";
  }
  return "";
}

TypedAnswer ProbeTyped(const std::string& path, uint64_t address) {
  absl::StatusOr<std::string> program = FindHelperProgram("callbridge-probe", "CALLBRIDGE_PROBE");
  if (!program.ok()) return {TypedVerdict::kUnverified, std::string(program.status().message())};
  return RunProgram(*program, path, address);
}

TypedAnswer ProbeTyped(const void* address) {
  const link_map* file = LoadedObject(address);
  if (file == nullptr) return {TypedVerdict::kUnverified, "its address belongs to no file"};
  static const int here = 0;
  if (file == LoadedObject(&here)) return {TypedVerdict::kUnverified, "it is callbridge's own"};
  if (*file->l_name == '\0') {
    return {TypedVerdict::kUnverified, "it is the program's own, which cannot be opened twice"};
  }
  // A private copy has this process's addresses in it, and its file may be closed.
  const std::shared_ptr<const TargetLibrary> library = TargetLibrary::Holding(address);
  return ProbeTyped(library != nullptr ? library->path() : file->l_name,
                    reinterpret_cast<uintptr_t>(address) - file->l_addr);
}

}  // namespace callbridge
