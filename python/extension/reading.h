// The arrays among the operands of a call, and what distinguishes their forms.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_READING_H_
#define CALLBRIDGE_PYTHON_EXTENSION_READING_H_

#include "callbridge/python/extension/stable_abi.h"

enum { kInlineLeaves = 8, kInlineKeyBytes = 256 };

// The struct in `__array_struct__`: version 3 of NumPy's array interface protocol.
typedef struct {
  int two;
  int nd;
  char typekind;
  int itemsize;
  int flags;
  Py_intptr_t* shape;
  Py_intptr_t* strides;
  void* data;
  PyObject* descr;
} ArrayInterface;

typedef struct {
  PyObject* array;  // borrowed from the operands
  PyObject* view;   // owned; keeps `interface` valid
  const ArrayInterface* interface;
} Leaf;

// The arrays in a tree of operands, and the bytes that distinguish its form from others.
typedef struct {
  const State* state;
  Leaf* leaves;
  size_t leaf_count, leaf_capacity;
  char* key;
  size_t key_size, key_capacity;
  Leaf inline_leaves[kInlineLeaves];
  char inline_key[kInlineKeyBytes];
} Reading;

void BeginReading(Reading* reading, const State* state);
void EndReading(Reading* reading);

// Reads a tree of operands. Returns 1 on success; 0 if an array must be prepared first, because it
// cannot be copied byte by byte; -1 with an exception set.
int ReadTuple(Reading* reading, PyObject* tuple);

// Sets `leaf->view` and `leaf->interface` to those of `leaf->array`, an exact numpy.ndarray.
// Returns -1 with an exception set.
int View(const State* state, Leaf* leaf);

#endif  // CALLBRIDGE_PYTHON_EXTENSION_READING_H_
