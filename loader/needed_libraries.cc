#include "callbridge/loader/needed_libraries.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/loader/loader_trace.h"

namespace callbridge {
namespace {

constexpr char kLoaderName[] = "ld-linux-x86-64.so.2";

// "name => path (0x7f...)", "name => not found" or "path (0x7f...)".
NeededLibrary ParseLibrary(absl::string_view line) {
  const size_t address = line.rfind(" (0x");
  if (address != absl::string_view::npos) line = line.substr(0, address);
  const std::vector<absl::string_view> sides = absl::StrSplit(line, absl::MaxSplits(" => ", 1));
  NeededLibrary library{std::string(sides.front()), std::string(sides.back())};
  if (library.name == kLoaderPath)
    library.name = kLoaderName;  // known by the path, needed by the name
  if (library.path == "not found") library.path.clear();
  return library;
}

}  // namespace

LoaderAnswer ParseLoaderAnswer(absl::string_view output, absl::string_view path) {
  LoaderAnswer answer;
  for (absl::string_view line : absl::StrSplit(output, '\n', absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&line, "\t")) {
      // The kernel's own, which is no file.
      if (absl::StartsWith(line, "linux-vdso") || line == "statically linked") continue;
      answer.libraries.push_back(ParseLibrary(line));
    } else if (absl::StrContains(line, "version `")) {
      absl::ConsumePrefix(&line, absl::StrCat(path, ": "));
      answer.missing_versions.emplace_back(line);
    }
  }
  return answer;
}

absl::StatusOr<LoaderAnswer> AskLoader(const std::string& path) {
  const std::string absolute = PathForChild(path);  // a bare name is searched
  const ChildProcess loader = LoaderTrace(
      absolute, {"LD_PRELOAD", "LD_AUDIT", "LD_DEBUG", "LD_WARN", "LD_BIND_NOW", "LD_VERBOSE"});
  absl::StatusOr<ChildOutcome> outcome = RunChild(loader);
  if (!outcome.ok()) return outcome.status();
  if (outcome->timed_out || outcome->signal != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("ld.so ", WhatWentWrong(*outcome, loader.limit)));
  }
  LoaderAnswer answer = ParseLoaderAnswer(outcome->output, absolute);
  const bool failed = outcome->is_unknown ? outcome->output.empty() : outcome->exit_status != 0;
  if (answer.libraries.empty() && failed) {
    return absl::FailedPreconditionError(absl::StrCat("ld.so says: ", outcome->output));
  }
  return answer;
}

}  // namespace callbridge
