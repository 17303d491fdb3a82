// Errors of the C API as exceptions.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_RAISE_H_
#define CALLBRIDGE_PYTHON_EXTENSION_RAISE_H_

#include "callbridge/c_api/callbridge.h"
#include "callbridge/python/extension/stable_abi.h"

// Raises `error` as an exception, and frees it.
void Raise(const State* state, callbridge_error* error);

#endif  // CALLBRIDGE_PYTHON_EXTENSION_RAISE_H_
