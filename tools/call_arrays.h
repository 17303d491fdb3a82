// The arrays of a call or a program: reads operands from .npy files, makes results, writes them to
// files.
#ifndef CALLBRIDGE_TOOLS_CALL_ARRAYS_H_
#define CALLBRIDGE_TOOLS_CALL_ARRAYS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "callbridge/abi/shape.h"
#include "callbridge/tools/array.h"
#include "callbridge/tools/operand.h"
#include "callbridge/tools/result_text.h"

namespace callbridge {

// The operands: their shapes, and their leaves in preorder.
struct LoadedOperands {
  std::vector<Shape> shapes;
  std::vector<Array> leaves;
};
absl::StatusOr<LoadedOperands> LoadOperands(const std::vector<Operand>& operands);

// Returns arrays of zeros for the leaves of `result`, in preorder.
absl::StatusOr<std::vector<Array>> MakeResultArrays(const Shape& result);

// Returns the operands of a command line whose argument TARGET, if it is there, is the first one.
// Fails as ParseOperand().
absl::StatusOr<std::vector<Operand>> OperandsFrom(const std::optional<std::string>& target,
                                                  const std::vector<Operand>& others);

// Returns an error message if this number of output files does not fit the result's shape, else "".
std::string FindOutputUsageError(const std::vector<std::string>& outputs, const Shape& result);

// Takes the arrays of a result, unpacks them and writes them to `outputs`, if any.
absl::StatusOr<ReturnedValue> FinishResult(const Shape& result, std::vector<Array> leaves,
                                           const std::vector<std::string>& outputs);

}  // namespace callbridge

#endif  // CALLBRIDGE_TOOLS_CALL_ARRAYS_H_
