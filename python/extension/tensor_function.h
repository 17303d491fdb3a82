// The functions that callbridge.torch.custom_call() returns, on tensors that are ready to be
// called.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_TENSOR_FUNCTION_H_
#define CALLBRIDGE_PYTHON_EXTENSION_TENSOR_FUNCTION_H_

#include "callbridge/python/extension/stable_abi.h"

extern PyType_Spec
    tensor_function_spec;  // as callbridge._calls._python_tensor_calls.TensorFunction

#endif  // CALLBRIDGE_PYTHON_EXTENSION_TENSOR_FUNCTION_H_
