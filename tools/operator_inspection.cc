#include "callbridge/tools/operator_inspection.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "callbridge/loader/next_steps.h"
#include "callbridge/mindspore_aot/aot_library.h"
#include "callbridge/mindspore_aot/aot_source.h"

namespace callbridge {
namespace {

using mindspore_aot::AotName;

bool Exports(const Inspection& inspection, const std::string& function) {
  return inspection.symbols.untyped_functions.count(function) != 0;
}

InspectedOperator OperatorOf(const Inspection& inspection, const std::string& function) {
  return {function, Exports(inspection, absl::StrCat(function, "Init")),
          Exports(inspection, absl::StrCat(function, "InferShape"))};
}

Verdict JudgeNamed(const Inspection& inspection, const AotName& name,
                   const std::vector<InspectedOperator>& operators) {
  Verdict verdict = Judge(inspection);
  if (inspection.kind != FileKind::kSharedLibrary || verdict.outcome == Outcome::kDoesNotLoad) {
    return verdict;
  }
  if (const absl::Status allowed = mindspore_aot::CheckIsAllowed(name.path); !allowed.ok()) {
    return {Outcome::kDoesNotLoad, std::string(allowed.message()), {}};
  }
  if (operators.empty()) {
    return {Outcome::kNoCustomCalls,
            absl::StrCat("it exports no function ", name.function,
                         ": an AOT operator is exported as extern \"C\""),
            {}};
  }
  return JudgeOperators(inspection, operators, {});
}

}  // namespace

std::vector<InspectedOperator> FindOperators(const Inspection& inspection) {
  std::vector<InspectedOperator> found;
  for (const auto& [name, function] : inspection.symbols.untyped_functions) {
    InspectedOperator candidate = OperatorOf(inspection, name);
    if (candidate.has_init || candidate.has_infer_shape) found.push_back(std::move(candidate));
  }
  return found;
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

absl::StatusOr<NamedOperator> InspectNamedOperator(const std::string& name) {
  absl::StatusOr<AotName> parsed = mindspore_aot::ParseAotName(name);
  if (!parsed.ok()) return parsed.status();
  std::string path = parsed->path;
  if (mindspore_aot::IsSource(path)) {
    absl::StatusOr<mindspore_aot::CompiledSource> compiled = mindspore_aot::CompileSource(path);
    if (!compiled.ok()) return compiled.status();
    path = std::move(compiled->library);
  }
  absl::StatusOr<Inspection> inspection = Inspect(path);
  if (!inspection.ok()) return inspection.status();
  inspection->path = parsed->path;
  NamedOperator named{*std::move(inspection), {}, {}};
  if (Exports(named.inspection, parsed->function)) {
    named.operators = {OperatorOf(named.inspection, parsed->function)};
  }
  named.verdict = JudgeNamed(named.inspection, *parsed, named.operators);
  return named;
}

}  // namespace callbridge
