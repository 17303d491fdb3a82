// Operator information as MindSpore writes it: the JSON text of what CustomRegOp(...).get_op_info()
// returns, for a target of any ABI. callbridge_operator_info.h describes the text.
#ifndef CALLBRIDGE_MINDSPORE_AOT_OPERATOR_INFO_JSON_H_
#define CALLBRIDGE_MINDSPORE_AOT_OPERATOR_INFO_JSON_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "callbridge/abi/operator_info.h"

namespace callbridge {
namespace mindspore_aot {

// Returns INVALID_ARGUMENT, which names the member, if `json` is not such a text.
absl::StatusOr<OperatorInfo> ParseOperatorInfo(absl::string_view json);

}  // namespace mindspore_aot
}  // namespace callbridge

#endif  // CALLBRIDGE_MINDSPORE_AOT_OPERATOR_INFO_JSON_H_
