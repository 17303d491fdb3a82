// callbridge_operator_info.h: what the author of a target declares of its calls, a part of
// callbridge's stable C ABI.
//
// Operator information declares, for a target of any ABI, the names of operands and results, the
// allowed combinations of their types and formats, attributes with their defaults, and the
// platform. Calls whose callbridge_site carries it are checked when they are bound. Calls that a
// runtime makes of callbridge_target_entry_points are bound without a callbridge_site: check these
// by callbridge_operator_info_check when the program is compiled.
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

typedef struct callbridge_operator_info callbridge_operator_info;

// Reads the JSON text of what MindSpore's CustomRegOp(...).get_op_info() returns; what its members
// mean is in callbridge/mindspore_aot/operator_info_json.h of the source tree and in
// docs/architecture.md. The caller destroys `*info`. Returns INVALID_ARGUMENT, which names the
// member, if the text is not such a text, or declares what custom calls do not have.
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
