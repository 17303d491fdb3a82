// Operator information as MindSpore writes it: the JSON text of what CustomRegOp(...).get_op_info()
// returns, for a target of any ABI.
//
//   {"op_name": "add", "target": "CPU",
//    "inputs": [{"index": 0, "name": "x", "paramType": "required"}], "outputs": [...],
//    "dtype_format": [[["float32", "DefaultFormat"], ["float32", "DefaultFormat"]], ...],
//    "attr": [{"name": "axis", "paramType": "required", "type": "int", "value": 1}]}
//
// clang-format off
//   member             what it declares
//   op_name            a name for messages; may be missing
//   target             "CPU" (Host), "GPU" (CUDA and ROCM) or "Ascend" (no platform of XLA's)
//   inputs, outputs    operands and results, in this order; "index" is ignored, as in MindSpore.
//                      "paramType" is "required", "dynamic" (may be a tuple) or "optional" (the last
//                      ones of a call may be missing); without one, "required"
//   dtype_format       the allowed combinations: for each input, then each output, [type, format] or
//                      [type, format, object]; object is "tensor", or "tuple" or "list", a tuple
//   attr               attributes; may be missing. "paramType" is "required" or "optional", "type" a
//                      type of the table below, or "all". "value" is the default; else "defaultValue",
//                      the same as a text, lists as "1,2,3"
// clang-format on
//
// Other members are ignored. MindSpore, on CPU, checks the counts and types of arrays alone.
//
// clang-format off
//   type of an array   "" is any; MindSpore's names "bool", "int8" ... "complex128", "bfloat16"; or
//                      XLA's, such as "f8e4m3fn" and "s4"
//
//   format             what a dense array is taken for
//   "", DefaultFormat  any rank; DefaultFormat: row-major
//   NCHW NHWC HWCN     rank 4, row-major: the letters name the dimensions, from the major one
//   NCDHW NDHWC DHWCN  rank 5, likewise
//   ChannelLast        rank 1 or more, row-major
//   NC1HWC0            rank 5, row-major: the program itself has split the channels into C1 and C0
//   NDC1HWC0 C1HWNCoC0 rank 6, likewise
//   FRACTAL_... and    INVALID_ARGUMENT: padded blocks of Ascend's memory, which no dense array has
//   ND_RNN_BIAS
//
//   type of an attribute               attribute of a call           default, as JSON
//   int, float, bool, str              a scalar, a string            s64, f64, pred, a string
//   listInt, listFloat, listBool       an array                      s64, f64, pred
//   all, ""                            any                           as its JSON; lists of lists of
//                                                                    numbers: a dictionary "0", "1", ...
//   s8 ... u64, pred, f32, f64         a scalar of that type         the same
//   s8[] ... f64[]                     an array of that type         the same
//   listStr                            INVALID_ARGUMENT: a call has no lists of strings
// clang-format on
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
