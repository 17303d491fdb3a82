// A target bound to operands of one form, and what differs between kinds of operands.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_BOUND_CALL_H_
#define CALLBRIDGE_PYTHON_EXTENSION_BOUND_CALL_H_

#include "callbridge/c_api/callbridge.h"
#include "callbridge/c_api/callbridge_device.h"
#include "callbridge/c_api/callbridge_ffi.h"
#include "callbridge/python/extension/reading.h"

// The form of an operand or a result. What a kind does not use is null.
typedef struct {
  PyObject* shape;  // of the array in memory, packed or not
  PyObject* dtype;
  PyObject* convert;  // packs an operand, unpacks a result; None if the array is used as it is
  PyObject* empty_arguments;  // the arguments of Torch.empty
  size_t size_bytes;          // of an array
} Form;

typedef struct OperandKind OperandKind;

typedef struct {
  PyObject ob_base;
  PyObject* handle;  // _handles.CallHandle: destroys `call` when its last reference goes
  const callbridge_call* call;
  const OperandKind* kind;
  Form* forms;  // the operands', then the results'
  size_t operand_count, result_count;
  int64_t* aliases;  // by result: the operand whose memory it uses, or -1
  PyObject* tree;    // the form of what is returned: None, or a tuple of forms
  int is_typed;
  uint64_t last_use;
} BoundCall;

// What the target gets in one call.
typedef struct {
  void** operands;
  void** results;
  PyObject** made;  // by result: what owns its memory; null for one that is not returned
  void* block;      // for copies of operands, or null; freed after the call
  callbridge_execution_context context;
  callbridge_runtime_services services;
  callbridge_ffi_scratch scratch;
} Call;

struct OperandKind {
  // Sets `form`, which is zeroed, to what Python describes. Returns -1 with an exception set.
  int (*set_form)(Form* form, PyObject* described, int is_result);
  // Reads a tuple of operands. Returns 1 on success; 0 if an operand must be prepared first,
  // because a target cannot be given its memory or a copy of that; -1 with an exception set.
  int (*read)(Reading* reading, PyObject* operands);
  // Makes the results' memory, and sets all of `call`, which has room for them. Returns -1 with an
  // exception set.
  int (*place)(const BoundCall* bound, Reading* reading, Call* call);
  // Returns the result of that form in `made`, whose reference it takes over.
  PyObject* (*result)(const State* state, const Form* form, PyObject* made);
};

extern const OperandKind array_kind;   // arrays.c: NumPy arrays, which are copied
extern const OperandKind tensor_kind;  // tensors.c: tensors of a device, whose memory is used

// Calls the target on the operands that were read, which must have the form that it is bound to.
// Returns its result, or null with an exception set.
PyObject* CallBound(BoundCall* bound, Reading* reading);

#endif  // CALLBRIDGE_PYTHON_EXTENSION_BOUND_CALL_H_
