#include "callbridge/loader/typed_probe.h"

#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/caught_exception.h"
#include "callbridge/abi/loaded_object.h"
#include "callbridge/adapters/cross_version/headers.h"
#include "callbridge/adapters/entry_points/trampolines.h"
#include "callbridge/adapters/probe_api.h"
#include "callbridge/loader/child_process.h"
#include "callbridge/loader/loaded_file.h"
#include "callbridge/loader/probe_server.h"
#include "callbridge/loader/target_library.h"
#include "callbridge/typed_ffi/c_api.h"
#include "callbridge/typed_ffi/runtime_versions.h"

namespace callbridge {

// ---- In the process that asks

namespace {

constexpr TypedVerdict kVerdicts[] = {TypedVerdict::kUnverified, TypedVerdict::kTyped,
                                      TypedVerdict::kNotTyped};
constexpr TypedEvidence kEvidenceKinds[] = {TypedEvidence::kNone, TypedEvidence::kRefusal,
                                            TypedEvidence::kOldestApiTable,
                                            TypedEvidence::kMetadata};

// In a line, "-" is what is unknown.
absl::string_view WordOf(std::optional<bool> known) {
  if (!known.has_value()) return "-";
  return *known ? "yes" : "no";
}

std::optional<bool> ParseWord(absl::string_view word) {
  if (word == "-") return std::nullopt;
  return word == "yes";
}

// The inverse of LineOf(). What the probed file itself wrote may be anything.
TypedAnswer ParseAnswer(absl::string_view line) {
  const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits(' ', 5));
  if (parts.size() != 6) return {TypedVerdict::kUnverified, std::string(line)};
  TypedAnswer answer{TypedVerdict::kUnverified, std::string(parts[5])};
  for (const TypedVerdict verdict : kVerdicts) {
    if (parts[0] == TypedVerdictName(verdict)) answer.verdict = verdict;
  }
  for (const TypedEvidence kind : kEvidenceKinds) {
    if (parts[1] == TypedEvidenceName(kind)) answer.evidence_kind = kind;
  }
  if (parts[2] != "-") answer.api_version = std::string(parts[2]);
  answer.adapts = ParseWord(parts[3]);
  answer.makes_state = ParseWord(parts[4]);
  return answer;
}

std::string DoesNotReturn() {
  return absl::StrCat("asked for its metadata, it did not return in ", kSecondsToAnswer, " s");
}

// The evidence for a function that returned.
constexpr absl::string_view kProvesNothing = "returned without an answer, which proves nothing";

// The helper writes kOpened before it calls the function, and the answer afterwards.
TypedAnswer Interpret(const ChildOutcome& outcome, absl::Duration limit) {
  std::vector<absl::string_view> lines =
      absl::StrSplit(outcome.output, '\n', absl::SkipWhitespace());
  const std::string wrong = WhatWentWrong(outcome, limit);
  if (lines.empty()) {
    return {TypedVerdict::kUnverified, absl::StrCat(kCannotBeOpened, "callbridge-probe ",
                                                    wrong.empty() ? "ended before it had" : wrong)};
  }
  if (lines.back() != kOpened) return ParseAnswer(lines.back());
  if (outcome.signal == SIGALRM) {
    return {TypedVerdict::kNotTyped, DoesNotReturn()};
  }
  return {TypedVerdict::kNotTyped,
          absl::StrCat("asked for its metadata, it ", wrong.empty() ? "ended the process" : wrong)};
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

absl::string_view TypedEvidenceName(TypedEvidence kind) {
  switch (kind) {
    case TypedEvidence::kNone:
      return "";
    case TypedEvidence::kRefusal:
      return "refusal";
    case TypedEvidence::kOldestApiTable:
      return "oldest_api_table";
    case TypedEvidence::kMetadata:
      return "metadata";
  }
  return "";
}

TypedAnswer ProbeTyped(const std::string& path, uint64_t address) {
  absl::StatusOr<std::string> program = FindHelperProgram("callbridge-probe", "CALLBRIDGE_PROBE");
  if (!program.ok()) return {TypedVerdict::kUnverified, std::string(program.status().message())};
  constexpr absl::Duration kLimit = absl::Seconds(20);
  absl::StatusOr<ChildOutcome> outcome = RunProbe(*program, path, address, kLimit);
  if (!outcome.ok()) return {TypedVerdict::kUnverified, std::string(outcome.status().message())};
  return Interpret(*outcome, kLimit);
}

namespace {

// Asks the file of a function of this process.
TypedAnswer AskFile(const void* address) {
  const auto unverified = [](std::string evidence) {
    return TypedAnswer{TypedVerdict::kUnverified, std::move(evidence)};
  };
  if (IsTypedFunctionTrampoline(address)) return {TypedVerdict::kTyped, "callbridge made it"};
  const link_map* file = LoadedObject(address);
  if (file == nullptr) return unverified("its address belongs to no file");
  static const int here = 0;
  if (file == LoadedObject(&here)) return unverified("it is in the file that callbridge is in");
  if (*file->l_name == '\0') {
    return unverified("it is the program's own, which cannot be opened twice");
  }
  // A private copy contains addresses of this process, and its file may be closed.
  const std::shared_ptr<const TargetLibrary> library = TargetLibrary::Holding(address);
  const std::optional<std::string> path =
      library != nullptr ? library->UnchangedFile() : LoadedFilePath(*file);
  if (!path.has_value()) {
    return unverified(absl::StrCat(kCannotBeOpened,
                                   library != nullptr ? library->path() : file->l_name,
                                   " was removed or changed after it was loaded"));
  }
  return ProbeTyped(*path, reinterpret_cast<uintptr_t>(address) - file->l_addr);
}

// What SIGALRM ends a fork with, unless the function answered before.
struct {
  absl::string_view line;
  int output = -1;
} late;

void SayThatItDoesNotReturn(int) {
  _exit(write(late.output, late.line.data(), late.line.size()) < 0);
}

// Asks in a fork of this process, and adds the answer to that of the function's file. A function
// that does not return may wait for another thread, which a fork has not.
TypedAnswer AskHere(const void* address, TypedAnswer of_file) {
  constexpr absl::Duration kLimit = absl::Seconds(2 * kSecondsToAnswer);
  const std::string late_line =
      absl::StrCat(LineOf({TypedVerdict::kUnverified, DoesNotReturn()}), "\n");
  const absl::StatusOr<ChildOutcome> outcome = RunFork(
      [&](int output) {
        SayLine(output, kOpened);
        late.line = late_line;
        late.output = output;
        signal(SIGALRM, &SayThatItDoesNotReturn);
        alarm(kSecondsToAnswer);
        AskForMetadata(const_cast<void*>(address), [&](const TypedAnswer& answer) {
          late.line = "";
          SayLine(output, LineOf(answer));
        });
      },
      kLimit);
  if (!outcome.ok()) {
    absl::StrAppend(&of_file.evidence, "; ", outcome.status().message());
    return of_file;
  }
  TypedAnswer answer = Interpret(*outcome, kLimit);
  if (outcome->timed_out && answer.verdict == TypedVerdict::kNotTyped) {
    answer.verdict = TypedVerdict::kUnverified;
  }
  if (answer.verdict == TypedVerdict::kTyped) return answer;
  const bool is_none_in_both =
      answer.verdict == TypedVerdict::kNotTyped && of_file.verdict == TypedVerdict::kNotTyped;
  if (is_none_in_both || answer.evidence == of_file.evidence) return of_file;
  answer.evidence =
      absl::StrCat(of_file.evidence, "; in a fork of this process: ", answer.evidence);
  return answer;
}

}  // namespace

TypedAnswer ProbeTyped(const void* address) {
  TypedAnswer of_file = AskFile(address);
  const bool is_unknown =
      of_file.verdict == TypedVerdict::kUnverified && of_file.evidence != kProvesNothing;
  return is_unknown ? AskHere(address, std::move(of_file)) : of_file;
}

TypedAnswer ProbeDeclaredTyped(const void* address) {
  TypedAnswer of_file = AskFile(address);
  if (of_file.verdict == TypedVerdict::kTyped) return of_file;
  return AskHere(address, std::move(of_file));
}

// ---- In the helper process

namespace {

using typed_ffi::RuntimeVersion;
using MadeThrough = ProbeApi::MadeThrough;

// Passes nulls in the further registers, for functions of another type.
using Function = XLA_FFI_Error* (*)(XLA_FFI_CallFrame*, void*, void*, void*, void*, void*);

struct Answer {
  MadeThrough made_through = MadeThrough::kNothing;
  bool has_version = false;
  int major = 0;
  int minor = 0;
};

// Calls the function once. What a function of another type writes through its first argument does
// not reach the metadata: the frame is in pages of its own.
Answer AskOnce(Function function, const ProbeApi& api, size_t struct_size) {
  constexpr size_t kRoom = size_t{1} << 20;
  constexpr int kUnwritten = -1;
  void* memory = mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
  // Leaves room for what later versions may write after it.
  struct {
    XLA_FFI_Metadata metadata;
    char behind[64];
  } room = {};
  room.metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
  room.metadata.api_version = {XLA_FFI_Api_Version_STRUCT_SIZE, nullptr, kUnwritten, kUnwritten};
  XLA_FFI_Metadata_Extension extension = {
      {XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata, nullptr},
      &room.metadata};
  auto* frame = static_cast<XLA_FFI_CallFrame*>(memory);
  frame->struct_size = struct_size;
  frame->extension_start = &extension.extension_base;
  frame->api = api.get();
  frame->stage = XLA_FFI_ExecutionStage_EXECUTE;

  ProbeApi::TakeMadeThrough();
  function(frame, nullptr, nullptr, nullptr, nullptr, nullptr);
  const MadeThrough made_through = ProbeApi::TakeMadeThrough();
  const XLA_FFI_Api_Version& version = room.metadata.api_version;
  return {made_through, version.major_version != kUnwritten, version.major_version,
          version.minor_version};
}

TypedAnswer Metadata(const Answer& answer) {
  const std::string version = absl::StrCat(answer.major, ".", answer.minor);
  return {TypedVerdict::kTyped, absl::StrCat("answers the metadata query: XLA FFI ", version),
          TypedEvidence::kMetadata, version};
}

// Asks a handler with XLA's or callbridge's headers for what else it reports.
TypedAnswer WithReports(XLA_FFI_Handler* handler, TypedAnswer answer) {
  const absl::StatusOr<HandlerHeaders> headers = RecognizeHeaders(handler);
  if (!headers.ok()) return answer;
  answer.adapts = headers->adapts;
  if (headers->version->metadata_size <= offsetof(XLA_FFI_Metadata, state_type_id)) return answer;
  // Nobody registers types in this process, so handlers that make state may miss theirs.
  const ReportedMetadata reported = ReadReportedMetadata(handler, *headers->version);
  answer.makes_state = reported.type_is_missing || reported.state_type_id.type_id != 0;
  return answer;
}

}  // namespace

void SayLine(int answers, absl::string_view line) {
  const std::string whole = absl::StrCat(line, "\n");
  if (write(answers, whole.data(), whole.size()) < 0) std::_Exit(1);
}

void AskForMetadata(void* address, absl::FunctionRef<void(const TypedAnswer& answer)> say) {
  const auto function = reinterpret_cast<Function>(address);
  const ProbeApi api(ProbeApi::kUnknownMinor);
  try {
    const Answer first = AskOnce(function, api, kRefusedFrameSize);
    if (first.has_version) return say(Metadata(first));
    if (first.made_through == MadeThrough::kNothing) {
      return say({TypedVerdict::kUnverified, std::string(kProvesNothing)});
    }
    if (first.made_through == MadeThrough::kTableWithoutVersion) {
      const RuntimeVersion& oldest = typed_ffi::kOldestVersion;
      return say({TypedVerdict::kTyped,
                  absl::StrCat("makes its errors through the API table of ", oldest.releases),
                  TypedEvidence::kOldestApiTable,
                  absl::StrCat(XLA_FFI_API_MAJOR, ".", static_cast<int>(oldest.minor)),
                  /*adapts=*/false});
    }
    say({TypedVerdict::kTyped, "refuses a frame that is too small, as XLA's headers do",
         TypedEvidence::kRefusal});
    const Answer second = AskOnce(function, api, XLA_FFI_CallFrame_STRUCT_SIZE);
    if (!second.has_version) return;
    const TypedAnswer answer = Metadata(second);
    say(answer);
    say(WithReports(reinterpret_cast<XLA_FFI_Handler*>(address), answer));
  } catch (...) {
    say({TypedVerdict::kNotTyped, absl::StrCat("threw ", DescribeCaughtException())});
  }
}

std::string LineOf(const TypedAnswer& answer) {
  const auto or_dash = [](absl::string_view text) { return text.empty() ? "-" : text; };
  return absl::StrReplaceAll(
      absl::StrJoin(
          {TypedVerdictName(answer.verdict), or_dash(TypedEvidenceName(answer.evidence_kind)),
           or_dash(answer.api_version), WordOf(answer.adapts), WordOf(answer.makes_state),
           absl::string_view(answer.evidence)},
          " "),
      {{"\n", " "}});
}

}  // namespace callbridge
