#include "callbridge/mindspore_aot/operator_inspection.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "callbridge/loader/inspection.h"
#include "callbridge/loader/verdict.h"
#include "callbridge/mindspore_aot/aot_library.h"
#include "callbridge/mindspore_aot/aot_source.h"

namespace callbridge {
namespace mindspore_aot {
namespace {

Verdict JudgeNamed(const Inspection& inspection, const AotName& name,
                   const std::vector<InspectedOperator>& operators) {
  Verdict verdict = Judge(inspection);
  if (inspection.kind != FileKind::kSharedLibrary || verdict.outcome == Outcome::kDoesNotLoad) {
    return verdict;
  }
  if (const absl::Status allowed = CheckIsAllowed(name.path); !allowed.ok()) {
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

absl::StatusOr<InspectedFile> InspectOperator(const std::string& name) {
  absl::StatusOr<AotName> parsed = ParseAotName(name);
  if (!parsed.ok()) return parsed.status();
  std::string path = parsed->path;
  if (IsSource(path)) {
    absl::StatusOr<CompiledSource> compiled = CompileSource(path);
    if (!compiled.ok()) return compiled.status();
    path = std::move(compiled->library);
  }
  absl::StatusOr<Inspection> inspection = Inspect(path);
  if (!inspection.ok()) return inspection.status();
  inspection->path = parsed->path;
  InspectedFile file{*std::move(inspection), {}, {}, {}};
  if (file.inspection.symbols.untyped_functions.count(parsed->function) != 0) {
    file.operators = {OperatorOf(file.inspection, parsed->function)};
  }
  file.verdict = JudgeNamed(file.inspection, *parsed, file.operators);
  return file;
}

}  // namespace mindspore_aot
}  // namespace callbridge
