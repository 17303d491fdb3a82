// InspectedFile: an inspection with all that is made of it: what the probe answers, MindSpore's AOT
// operators, and the verdict.
#ifndef CALLBRIDGE_LOADER_INSPECTED_FILE_H_
#define CALLBRIDGE_LOADER_INSPECTED_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "callbridge/loader/inspection.h"
#include "callbridge/loader/typed_probe.h"
#include "callbridge/loader/verdict.h"

namespace callbridge {

struct ProbedFunction {
  std::string symbol;  // "function at 0x1a2b (name)" or "function at 0x1a2b" for one that has none
  TypedAnswer answer;
  bool has_symbol = true;  // others may look it up by `symbol`
};

struct InspectedOperator {
  std::string function;
  bool has_init = false;
  bool has_infer_shape = false;
};

struct InspectedFile {
  Inspection inspection;
  Verdict verdict;
  std::vector<ProbedFunction> probed;  // empty unless functions were asked
  std::vector<InspectedOperator> operators;
  int64_t not_asked = 0;  // how many functions the probe had no time for
};

// How long the probe goes on to ask the functions of one file.
constexpr int kSecondsToProbe = 30;

// Inspects the file at `path`; if `probes`, asks the functions that may be typed handlers, in
// processes of their own, where the file's constructors run too (ProbeTyped()), for about
// kSecondsToProbe. Fails as Inspect().
absl::StatusOr<InspectedFile> InspectFile(const std::string& path, bool probes);

// Returns what the library shows of an operator by this name: the functions beside it.
InspectedOperator OperatorOf(const Inspection& inspection, const std::string& function);

// Returns the verdict for a library that has `operators` and, by itself, `verdict`.
Verdict JudgeOperators(const Inspection& inspection,
                       const std::vector<InspectedOperator>& operators, Verdict verdict);

}  // namespace callbridge

#endif  // CALLBRIDGE_LOADER_INSPECTED_FILE_H_
