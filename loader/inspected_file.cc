#include "callbridge/loader/inspected_file.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "callbridge/loader/elf_file.h"
#include "callbridge/loader/elf_sections.h"
#include "callbridge/loader/files.h"
#include "callbridge/loader/next_steps.h"
#include "callbridge/loader/probed_file.h"
#include "callbridge/loader/unnamed_functions.h"

namespace callbridge {
namespace {

// ---- The probe

// Returns what a function that others do not find by a name is called: by its address, with the
// name that the file's own symbols have for it. Returns "" if such a name has a type, which tells
// that it is no handler: mangled names begin with "_".
std::string UnexportedName(const FunctionNames& names, uint64_t address) {
  std::string text = absl::StrCat("function at 0x", absl::Hex(address));
  const std::vector<std::string> own = names.At(address);
  if (own.empty()) return text;
  for (const std::string& name : own) {
    if (!absl::StartsWith(name, "_")) return absl::StrCat(text, " (", name, ")");
  }
  return "";
}

// Asks the functions of one file. What is true of all of them, as that the file cannot be opened,
// is found out once, and after kSecondsToProbe no more are asked.
class Prober {
 public:
  explicit Prober(std::string path) : path_(std::move(path)) {}

  // Returns nothing if the time is over.
  absl::optional<TypedAnswer> Ask(uint64_t address) {
    if (refusal_.has_value()) return refusal_;
    if (absl::Now() > end_) {
      ++not_asked_;
      return absl::nullopt;
    }
    TypedAnswer answer = ProbeTyped(path_, address);
    if (absl::StartsWith(answer.evidence, kCannotBeOpened) &&
        !absl::EndsWith(answer.evidence, kHasNoCode)) {
      refusal_ = answer;
    }
    return answer;
  }

  bool is_refused() const { return refusal_.has_value(); }
  int64_t not_asked() const { return not_asked_; }

 private:
  const std::string path_;
  const absl::Time end_ = absl::Now() + absl::Seconds(kSecondsToProbe);
  absl::optional<TypedAnswer> refusal_;  // the file's
  int64_t not_asked_ = 0;
};

// Asks the functions of a file that others do not find by name, and adds those that prove to be
// typed; or, if none does and the file cannot be opened, or not whole, the first one.
void ProbeUnexported(const std::string& path, std::set<uint64_t> asked, Prober& prober,
                     std::vector<ProbedFunction>& probed) {
  absl::StatusOr<std::string> bytes = ReadRegularFile(path);
  if (!bytes.ok()) return;
  const absl::StatusOr<ElfFile> file = ElfFile::Parse(*std::move(bytes));
  if (!file.ok()) return;
  const FunctionNames names(*file);
  absl::optional<ProbedFunction> first_without;
  for (const uint64_t address : AddressTakenFunctions(*file)) {
    const std::string name = UnexportedName(names, address);
    if (name.empty() || !asked.insert(address).second) continue;
    const absl::optional<TypedAnswer> answer = prober.Ask(address);
    if (!answer.has_value()) continue;
    ProbedFunction function{name, *answer, /*has_symbol=*/false};
    if (prober.is_refused()) {
      probed.push_back(std::move(function));
      return;
    }
    if (answer->verdict == TypedVerdict::kTyped) {
      probed.push_back(std::move(function));
    } else if (!first_without.has_value() && absl::StartsWith(answer->evidence, kNoAnswerWithout)) {
      first_without = std::move(function);
    }
  }
  const bool has_typed = std::any_of(probed.begin(), probed.end(),
                                     [](const ProbedFunction& one) { return !one.has_symbol; });
  if (!has_typed && first_without.has_value()) probed.push_back(*std::move(first_without));
}

void Probe(InspectedFile& file) {
  const Inspection& inspection = file.inspection;
  // XLA's own functions are tens of thousands, and what they answer is true of that XLA alone.
  if (inspection.kind != FileKind::kSharedLibrary || inspection.contains_xla) return;
  Prober prober(inspection.path);
  std::set<uint64_t> asked;
  const auto ask = [&](const std::string& symbol, uint64_t address) {
    asked.insert(address);
    const absl::optional<TypedAnswer> answer = prober.Ask(address);
    if (answer.has_value()) file.probed.push_back({symbol, *answer});
  };
  for (const auto& [key, function] : inspection.symbols.functions) {
    if (function.on_host == ApiVersion::kTypedFfi) ask(function.symbol, function.address);
  }
  for (const UntypedFunction& function : PossibleHandlers(inspection)) {
    ask(function.name, function.address);
  }
  // Only where no name tells of a handler: a function that is not a handler may do anything.
  const bool has_named = std::any_of(
      file.probed.begin(), file.probed.end(),
      [](const ProbedFunction& one) { return one.answer.verdict == TypedVerdict::kTyped; });
  if (inspection.mentions_typed_ffi && !has_named) {
    ProbeUnexported(inspection.path, std::move(asked), prober, file.probed);
  }
  file.not_asked = prober.not_asked();
}

std::vector<std::string> TypedSymbols(const std::vector<ProbedFunction>& probed) {
  std::vector<std::string> symbols;
  for (const ProbedFunction& function : probed) {
    if (!function.has_symbol) continue;
    if (function.answer.verdict == TypedVerdict::kTyped) symbols.push_back(function.symbol);
  }
  return symbols;
}

// ---- Operators

bool Exports(const Inspection& inspection, const std::string& function) {
  return inspection.symbols.untyped_functions.count(function) != 0;
}

// Returns the functions that are known to be AOT operators by the Init or InferShape beside them.
std::vector<InspectedOperator> FindOperators(const Inspection& inspection) {
  std::vector<InspectedOperator> found;
  for (const auto& [name, function] : inspection.symbols.untyped_functions) {
    InspectedOperator candidate = OperatorOf(inspection, name);
    if (candidate.has_init || candidate.has_infer_shape) found.push_back(std::move(candidate));
  }
  return found;
}

}  // namespace

InspectedOperator OperatorOf(const Inspection& inspection, const std::string& function) {
  return {function, Exports(inspection, absl::StrCat(function, "Init")),
          Exports(inspection, absl::StrCat(function, "InferShape"))};
}

Verdict JudgeOperators(const Inspection& inspection,
                       const std::vector<InspectedOperator>& operators, Verdict verdict) {
  if (operators.empty() || verdict.outcome != Outcome::kNoCustomCalls ||
      inspection.kind != FileKind::kSharedLibrary) {
    return verdict;
  }
  verdict.outcome = Outcome::kAotOperators;
  verdict.text = absl::StrCat("callbridge can load it and call ",
                              absl::StrJoin(operators, ", ",
                                            [](std::string* text, const InspectedOperator& found) {
                                              absl::StrAppend(text, found.function);
                                            }),
                              operators.size() == 1 ? " as an AOT operator of MindSpore"
                                                    : " as AOT operators of MindSpore");
  const InspectedOperator& first = operators.front();
  verdict.next =
      NextForOperator(absl::StrCat(inspection.path, ":", first.function), first.has_infer_shape);
  return verdict;
}

absl::StatusOr<InspectedFile> InspectFile(const std::string& path, bool probes) {
  absl::StatusOr<Inspection> inspection = Inspect(path);
  if (!inspection.ok()) return inspection.status();
  InspectedFile file{*std::move(inspection), {}, {}, {}, 0};
  if (probes) Probe(file);
  file.operators = FindOperators(file.inspection);
  file.verdict = JudgeOperators(file.inspection, file.operators,
                                Judge(file.inspection, TypedSymbols(file.probed)));
  return file;
}

}  // namespace callbridge
