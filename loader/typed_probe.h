// The probe: finds out whether a function is a typed FFI handler.
//
// The probe calls the function, in a process of its own, since a function of another type may
// crash, hang or end the process. The helper program callbridge-probe opens the function's file and
// calls the function at the same offset. What that cannot answer is asked in a fork of the process
// that has the function, with all libraries and data that it needs.
#ifndef CALLBRIDGE_LOADER_TYPED_PROBE_H_
#define CALLBRIDGE_LOADER_TYPED_PROBE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace callbridge {

// ---- In the process that asks

enum class TypedVerdict {
  kUnverified = 0,  // it could not be called, or it returned without an answer
  kTyped = 1,
  kNotTyped = 2,  // it crashed, threw, ended the process or did not return
};

// Returns "unverified", "typed" or "not_typed", in static storage.
absl::string_view TypedVerdictName(TypedVerdict verdict);

// What proves that a function is a typed handler.
enum class TypedEvidence {
  kNone,            // nothing does
  kRefusal,         // it refuses a frame that is too small; what its headers are is unknown
  kOldestApiTable,  // it makes errors through the API table of the oldest XLA FFI
  kMetadata,        // it answers the metadata query
};

// Returns "", "refusal", "oldest_api_table" or "metadata", in static storage.
absl::string_view TypedEvidenceName(TypedEvidence kind);

struct TypedAnswer {
  TypedVerdict verdict = TypedVerdict::kUnverified;
  // To display: "answers the metadata query: XLA FFI 0.1".
  std::string evidence;
  TypedEvidence evidence_kind = TypedEvidence::kNone;
  // The version of the XLA FFI headers that it was built with, "0.1"; empty if unknown.
  std::string api_version = {};
  // Whether it adapts to the runtime's version, as handlers with callbridge's headers do, which
  // report the lowest version that they need. Empty if unknown.
  std::optional<bool> adapts = std::nullopt;
  // Whether it makes the state of a custom call. Empty if unknown: headers before XLA FFI 0.2 do
  // not report it.
  std::optional<bool> makes_state = std::nullopt;
};

// How the evidence of kUnverified begins where the file, and so any of its functions, cannot be
// called.
constexpr absl::string_view kCannotBeOpened = "its file cannot be opened: ";
// How it begins where the function was called without libraries or symbols that its file needs.
constexpr absl::string_view kNoAnswerWithout = "gave no answer without what is missing here: ";

// Probes the function at `address`, relative to the load address, of the file at `path`. Runs the
// file's constructors in the helper process. Thread-safe.
TypedAnswer ProbeTyped(const std::string& path, uint64_t address);

// Probes a function of this process, in the file that it was loaded from. Where that cannot be
// opened alone, and for code in no file, such as what is generated at run time, a fork of this
// process calls the function. Returns kUnverified for one that does not return there: a fork has no
// other threads. Thread-safe.
TypedAnswer ProbeTyped(const void* address);

// Probes a function that somebody declares as typed: as ProbeTyped(), but has a fork of this
// process call the function too where its file does not prove it typed. A handler may need what
// this process alone has, such as the function that a trampoline leads to, which its file crashes
// without.
TypedAnswer ProbeDeclaredTyped(const void* address);

// ---- In the helper process

// The file descriptor to which callbridge-probe writes its answers, apart from what the probed file
// prints.
constexpr int kAnswersDescriptor = 3;
// The time after which SIGALRM ends a function that has not returned.
constexpr int kSecondsToAnswer = 2;

// What the helper says before it calls the function: whatever ends the process later is the
// function's doing.
constexpr absl::string_view kOpened = "opened";

// Writes the line to the file descriptor `answers`. Ends this process if it cannot: there is no
// other channel to report to.
void SayLine(int answers, absl::string_view line);

// Calls the function, which may end the process in any way. Passes each answer to `say` at once;
// the last one counts.
//
// First passes a frame that claims a size of 1. Every handler built with XLA's headers checks the
// size first, and makes an error through the API table. A handler written by hand answers the
// metadata query in the frame instead. Then passes whole frames, but only to a function that
// proved to be typed; its answers show the API version, and what else it reports.
void AskForMetadata(void* function, absl::FunctionRef<void(const TypedAnswer& answer)> say);

// Returns the line that callbridge-probe writes for an answer.
std::string LineOf(const TypedAnswer& answer);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_TYPED_PROBE_H_
