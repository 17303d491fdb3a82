// What a library shows of one of MindSpore's AOT operators.
#ifndef CALLBRIDGE_MINDSPORE_AOT_OPERATOR_INSPECTION_H_
#define CALLBRIDGE_MINDSPORE_AOT_OPERATOR_INSPECTION_H_

#include <string>

#include "absl/status/statusor.h"
#include "callbridge/loader/inspected_file.h"

namespace callbridge {
namespace mindspore_aot {

// Inspects the operator "PATH:FUNCTION"; the inspection's path is PATH. Compiles a source file.
// Runs no code of the library. Fails as Inspect() and CompileSource(); messages omit the path.
absl::StatusOr<InspectedFile> InspectOperator(const std::string& name);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_OPERATOR_INSPECTION_H_
