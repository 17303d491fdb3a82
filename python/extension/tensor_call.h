// A target bound to tensors of one form, and the kernel that calls it.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_TENSOR_CALL_H_
#define CALLBRIDGE_PYTHON_EXTENSION_TENSOR_CALL_H_

#include "callbridge/python/extension/stable_abi.h"

// As the classes of callbridge._calls._python_tensor_calls.
extern PyType_Spec bound_tensor_call_spec;
extern PyType_Spec tensor_caller_spec;

#endif  // CALLBRIDGE_PYTHON_EXTENSION_TENSOR_CALL_H_
