// callbridge_operator_info.h: what the author of a target declares of its calls, a part of
// callbridge's stable C ABI.
//
// Operator information declares, for a target of any ABI, the names of operands and results, the
// allowed combinations of their types and formats, attributes with their defaults, and the
// platform. Calls whose callbridge_site carries it are checked when they are bound. Calls that a
// runtime makes of callbridge_target_entry_points are bound without a callbridge_site: check these
// by callbridge_operator_info_check when the program is compiled.
//
// It is written as MindSpore writes it, the JSON text of what CustomRegOp(...).get_op_info()
// returns:
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
//
// The rules are those of callbridge.h. Element types have XLA's numbers (xla.PrimitiveType).
//
// C99 or C++; standard library alone. Link to libcallbridge.so.
#ifndef CALLBRIDGE_C_API_CALLBRIDGE_OPERATOR_INFO_H_
#define CALLBRIDGE_C_API_CALLBRIDGE_OPERATOR_INFO_H_

#include <stddef.h>
#include <stdint.h>

#include "callbridge/abi/exported.h"
#include "callbridge/c_api/callbridge.h"

#ifdef __cplusplus
extern "C" {
#endif

// Operator information. It never changes.
typedef struct callbridge_operator_info callbridge_operator_info;

// Reads the text, as above. The caller destroys `*info`. Returns INVALID_ARGUMENT, which names the
// member, if it is another text, or declares what custom calls do not have.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_operator_info_create(
    const char* json, size_t json_size, callbridge_operator_info** info);

// Destroys `info`; null is ignored. Calls that were bound with it need it no longer.
CALLBRIDGE_EXPORTED void callbridge_operator_info_destroy(callbridge_operator_info* info);

// Checks a call against `site->operator_info` as callbridge_call_bind does, without binding it.
// Attributes that have a default may be missing.
//
// Returns INVALID_ARGUMENT if the information is for another platform than the target's; if the
// number of operands, of results, or the combination of their types is not allowed, with the
// nearest allowed one; for attributes that are not declared or of another type; if a required
// attribute is missing; and for any attribute if the target is untyped.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_operator_info_check(
    const callbridge_target* target, const callbridge_site* site);

// What an attribute is: XLA's numbers (XLA_FFI_AttrType).
enum {
  CALLBRIDGE_ATTRIBUTE_ARRAY = 1,
  CALLBRIDGE_ATTRIBUTE_DICTIONARY = 2,
  CALLBRIDGE_ATTRIBUTE_SCALAR = 3,
  CALLBRIDGE_ATTRIBUTE_STRING = 4,
};

// Visits one attribute. `count` is the number of the elements of `element_type` at `data`; of the
// bytes of a string; or of the attributes in a dictionary, which follow. `name` and `data` are
// valid until the visitor returns.
typedef void callbridge_attribute_visitor(void* user, const char* name, int32_t kind,
                                          int32_t element_type, const void* data, size_t count);

// Calls `visit` with the default of each attribute that has one, sorted by name, in preorder.
CALLBRIDGE_EXPORTED callbridge_error* callbridge_operator_info_visit_defaults(
    const callbridge_operator_info* info, callbridge_attribute_visitor* visit, void* user);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CALLBRIDGE_C_API_CALLBRIDGE_OPERATOR_INFO_H_
