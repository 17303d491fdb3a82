#include "callbridge/mindspore_aot/source_compiler.h"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "callbridge/loader/child_process.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

namespace fs = std::filesystem;

// Of a compiler's output in an error.
constexpr size_t kMaximumOutput = 16 << 10;
// The oldest of MindSpore's own architectures.
constexpr int kOldestArchitecture = 70;

// Returns whether the code may depend on where its lines are, or a line that looks like a marker or
// empty may be part of a string.
bool DependsOnLines(absl::string_view text) {
  for (const char* word : {"__builtin_LINE", "__builtin_FILE", "__builtin_COLUMN",
                           "__builtin_source_location", "R\""}) {
    if (absl::StrContains(text, word)) return true;
  }
  return false;
}

// Runs the child by a shell that writes how it ended behind its output. For a process that the
// kernel does not tell how its children end.
absl::StatusOr<ChildOutcome> RunBesideShell(ChildProcess child) {
  const char* const shell[] = {"/bin/sh", "-c", R"("$@"; printf '\n%d' $?)", "sh"};
  child.command.insert(child.command.begin(), std::begin(shell), std::end(shell));
  absl::StatusOr<ChildOutcome> outcome = RunChild(child);
  if (!outcome.ok() || !outcome->is_unknown) return outcome;
  const size_t end = outcome->output.rfind('\n');
  if (end == std::string::npos) return outcome;
  if (!absl::SimpleAtoi(outcome->output.substr(end), &outcome->exit_status)) return outcome;
  outcome->output.resize(end);
  outcome->is_unknown = false;
  return outcome;
}

}  // namespace

std::string Variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

SourceCompiler::SourceCompiler(std::string source, absl::Duration limit)
    : source_(std::move(source)),
      name_(fs::path(source_).extension() == ".cu" ? "nvcc" : "g++"),
      limit_(limit) {}

absl::StatusOr<std::string> SourceCompiler::Run(const std::vector<std::string>& arguments) const {
  ChildProcess child;
  // It says "env: 'nvcc': No such file or directory", and exits with 127, if there is none.
  child.command = {"/usr/bin/env", name_};
  child.command.insert(child.command.end(), arguments.begin(), arguments.end());
  child.limit = limit_;
  // Without a PATH, /usr/bin/env finds g++, but g++ does not find its own programs.
  std::string path = Variable("PATH", "/usr/local/bin:/usr/bin:/bin");
  if (IsForCuda()) {
    absl::StrAppend(&path, ":", Variable("CUDA_HOME", "/usr/local/cuda"),
                    "/bin:/usr/local/cuda/bin");
  }
  child.variables.push_back(absl::StrCat("PATH=", path));
  absl::StatusOr<ChildOutcome> outcome = RunChild(child);
  if (outcome.ok() && outcome->is_unknown) outcome = RunBesideShell(std::move(child));
  if (!outcome.ok()) return outcome.status();
  const std::string wrong = WhatWentWrong(*outcome, limit_);
  if (wrong.empty()) return std::move(outcome->output);
  if (outcome->exit_status == 127) {
    return absl::FailedPreconditionError(
        absl::StrCat(source_, ": its compiler, ", name_,
                     ", is not installed; install it, or name a library: PATH.so:FUNCTION"));
  }
  // As MindSpore begins it, since users search for it.
  const std::string text =
      absl::StrCat("Compilation error in compiling ", source_, ": ", name_, " ", wrong, "\n",
                   outcome->output.substr(0, kMaximumOutput));
  return outcome->timed_out ? absl::DeadlineExceededError(text) : absl::InvalidArgumentError(text);
}

absl::StatusOr<std::vector<std::string>> SourceCompiler::Options() const {
  if (!IsForCuda()) {
    return std::vector<std::string>{"-std=c++17", "--shared", "-fPIC",
                                    "-D_GLIBCXX_USE_CXX11_ABI=0"};
  }
  absl::StatusOr<int> architecture = OldestArchitecture();
  if (!architecture.ok()) return architecture.status();
  return std::vector<std::string>{"--shared",
                                  "-Xcompiler",
                                  "-fPIC",
                                  "-O3",
                                  "-gencode",
                                  absl::StrCat("arch=compute_", *architecture, ",code=[sm_",
                                               *architecture, ",compute_", *architecture, "]"),
                                  "--use_fast_math",
                                  "--expt-relaxed-constexpr",
                                  "--expt-extended-lambda",
                                  "-D_GLIBCXX_USE_CXX11_ABI=0"};
}

std::vector<std::vector<std::string>> SourceCompiler::Passes() const {
  if (IsForCuda()) return {{"-E"}, {"-E", "-U__CUDA_ARCH__"}};
  return {{"-E"}};
}

absl::StatusOr<int> SourceCompiler::OldestArchitecture() const {
  absl::StatusOr<std::string> list = Run({"--list-gpu-arch"});
  if (!list.ok()) return list.status();
  int oldest = 0;
  for (absl::string_view name : absl::StrSplit(*list, absl::ByAnyChar(" \n"))) {
    int number = 0;
    if (!absl::ConsumePrefix(&name, "compute_") || !absl::SimpleAtoi(name, &number)) continue;
    if (number >= kOldestArchitecture && (oldest == 0 || number < oldest)) oldest = number;
  }
  if (oldest == 0) {
    return absl::FailedPreconditionError(absl::StrCat(source_,
                                                      ": nvcc lists no architecture from compute_",
                                                      kOldestArchitecture, " on: ", *list));
  }
  return oldest;
}

std::vector<std::string> IncludeOptions(const std::string& folder) {
  std::vector<std::string> options = {"-I.", absl::StrCat("-I", folder)};
  // Without it, a source that includes the header says so.
  const absl::StatusOr<std::string> header =
      FindHeader("custom_aot_extra.h", "CALLBRIDGE_CUSTOM_AOT_EXTRA");
  if (header.ok()) options.push_back(absl::StrCat("-I", fs::path(*header).parent_path().native()));
  return options;
}

std::string CodeOf(absl::string_view text) {
  if (DependsOnLines(text)) return std::string(text);
  std::string code;
  code.reserve(text.size());
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const bool is_marker = line.size() > 2 && line[0] == '#' && line[1] == ' ' &&
                           absl::ascii_isdigit(static_cast<unsigned char>(line[2]));
    if (!line.empty() && !is_marker) absl::StrAppend(&code, line, "\n");
  }
  return code;
}

}  // namespace mindspore_aot
}  // namespace callbridge
