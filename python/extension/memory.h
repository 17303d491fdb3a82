// The memory of arrays that targets write.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_MEMORY_H_
#define CALLBRIDGE_PYTHON_EXTENSION_MEMORY_H_

#include "callbridge/python/extension/stable_abi.h"

// Bytes, as XLA:CPU aligns its buffers, since old code may use aligned instructions.
enum { kAlignment = 64 };

// A Python object that exports its bytes as a buffer. An array that views them keeps it alive.
typedef struct {
  PyObject ob_base;
  char* block;  // owned
  char* data;
  Py_ssize_t size_bytes;
} Memory;

extern PyType_Spec memory_spec;  // of memory_type

// Returns zeroed memory, or null with an exception set.
Memory* NewMemory(const State* state, size_t size_bytes);

// Returns the first aligned address that is not before `pointer`.
char* AlignUp(char* pointer);

#endif  // CALLBRIDGE_PYTHON_EXTENSION_MEMORY_H_
