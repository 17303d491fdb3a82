// The memory of arrays that targets make.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_MEMORY_H_
#define CALLBRIDGE_PYTHON_EXTENSION_MEMORY_H_

#include "callbridge/python/extension/stable_abi.h"

// Bytes, as XLA:CPU aligns its buffers, since old code may use aligned instructions.
enum { kAlignment = 64 };

// A Python object that exports its bytes as a buffer; an array that views them keeps it.
typedef struct {
  PyObject ob_base;
  char* block;  // owned
  char* data;
  Py_ssize_t size_bytes;
} Memory;

extern PyType_Spec memory_spec;  // of memory_type

// Returns zeros. Null with an exception set.
Memory* NewMemory(const State* state, size_t size_bytes);

// The first aligned address from `pointer` on.
char* AlignUp(char* pointer);

#endif  // CALLBRIDGE_PYTHON_EXTENSION_MEMORY_H_
