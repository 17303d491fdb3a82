// What a library shows of MindSpore's AOT operators.
#ifndef CALLBRIDGE_TOOLS_OPERATOR_INSPECTION_H_
#define CALLBRIDGE_TOOLS_OPERATOR_INSPECTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "callbridge/loader/inspection.h"
#include "callbridge/loader/verdict.h"

namespace callbridge {

struct InspectedOperator {
  std::string function;
  bool has_init = false;
  bool has_infer_shape = false;
};

// Returns the functions that are known to be AOT operators by the Init or InferShape beside them.
std::vector<InspectedOperator> FindOperators(const Inspection& inspection);

// Returns the verdict for a library that has `operators` and, by itself, `verdict`.
Verdict JudgeOperators(const Inspection& inspection,
                       const std::vector<InspectedOperator>& operators, Verdict verdict);

struct NamedOperator {
  Inspection inspection;  // of the library; its path is the one in the name
  std::vector<InspectedOperator> operators;
  Verdict verdict;
};

// Inspects the operator "PATH:FUNCTION". Compiles a source file. Runs no code of the library. Fails
// as Inspect() and CompileSource(); messages omit the path.
absl::StatusOr<NamedOperator> InspectNamedOperator(const std::string& name);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_OPERATOR_INSPECTION_H_
