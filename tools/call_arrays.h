// The arrays of a call or a program: read from .npy files, made for results, written to files.
#ifndef CALLBRIDGE_TOOLS_CALL_ARRAYS_H_
#define CALLBRIDGE_TOOLS_CALL_ARRAYS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/abi/shape.h"
#include "callbridge/tools/array.h"
#include "callbridge/tools/operand.h"
#include "callbridge/tools/result_text.h"

namespace callbridge {

// Operands as they were read: their shapes, and their leaves in preorder.
struct LoadedOperands {
  std::vector<Shape> shapes;
  std::vector<Array> leaves;
};
absl::StatusOr<LoadedOperands> LoadOperands(const std::vector<Operand>& operands);

// Arrays of zeros for the leaves of `result`, in preorder.
absl::StatusOr<std::vector<Array>> MakeResultArrays(const Shape& result);

// What is wrong with this number of output files for a result of this shape; empty if nothing is.
std::string FindOutputUsageError(const std::vector<std::string>& outputs, const Shape& result);

// Takes the arrays that a result was written into, unpacks them and writes them to `outputs`, where
// there are any.
absl::StatusOr<ReturnedValue> FinishResult(const Shape& result, std::vector<Array> leaves,
                                           const std::vector<std::string>& outputs);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_CALL_ARRAYS_H_
