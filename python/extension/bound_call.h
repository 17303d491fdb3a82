// A target bound to operands of one form.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_BOUND_CALL_H_
#define CALLBRIDGE_PYTHON_EXTENSION_BOUND_CALL_H_

#include <stdint.h>

#include "callbridge/c_api/callbridge.h"
#include "callbridge/python/extension/reading.h"

typedef struct {
  PyObject* shape;  // of the array in memory, packed or not
  PyObject* dtype;
  PyObject* convert;  // packs an operand, unpacks a result; None if the array is used as it is
  size_t size_bytes;
} Form;

typedef struct {
  PyObject ob_base;
  PyObject* handle;  // _handles.CallHandle: destroys `call` when its last reference goes
  const callbridge_call* call;
  Form* forms;  // the operands', then the results'
  size_t operand_count, result_count;
  int64_t* aliases;  // by result: the operand whose memory it uses, or -1
  PyObject* tree;    // the form of the result: None, or a tuple of forms
  uint64_t last_use;
} BoundCall;

extern PyType_Spec bound_call_spec;  // as callbridge._calls._python_calls.BoundCall

// Calls the target on the operands that were read, which must have the form that it is bound to.
// Returns its result, or null with an exception set.
PyObject* CallBound(BoundCall* bound, Reading* reading);

#endif  // CALLBRIDGE_PYTHON_EXTENSION_BOUND_CALL_H_
