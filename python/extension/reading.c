#include "callbridge/python/extension/reading.h"

#include <stdint.h>
#include <string.h>

// Flags of ArrayInterface.
enum { kRowMajor = 0x1 };

void BeginReading(Reading* reading, const State* state) {
  reading->state = state;
  reading->leaves = reading->inline_leaves;
  reading->leaf_count = 0;
  reading->leaf_capacity = kInlineLeaves;
  reading->key = reading->inline_key;
  reading->key_size = 0;
  reading->key_capacity = kInlineKeyBytes;
}

void EndReading(Reading* reading) {
  for (size_t i = 0; i < reading->leaf_count; ++i) Py_DECREF(reading->leaves[i].view);
  if (reading->leaves != reading->inline_leaves) PyMem_Free(reading->leaves);
  if (reading->key != reading->inline_key) PyMem_Free(reading->key);
}

// Returns a block of twice the size with the contents of `old`. Frees `old` unless it is
// `inline_block`. Returns null with an exception set on failure.
static void* Grow(void* old, const void* inline_block, size_t size_bytes) {
  void* grown = PyMem_Malloc(2 * size_bytes);
  if (grown == NULL) return PyErr_NoMemory();
  memcpy(grown, old, size_bytes);
  if (old != inline_block) PyMem_Free(old);
  return grown;
}

static int AppendToKey(Reading* reading, const void* bytes, size_t size_bytes) {
  while (reading->key_capacity - reading->key_size < size_bytes) {
    char* grown = Grow(reading->key, reading->inline_key, reading->key_capacity);
    if (grown == NULL) return -1;
    reading->key = grown;
    reading->key_capacity *= 2;
  }
  memcpy(reading->key + reading->key_size, bytes, size_bytes);
  reading->key_size += size_bytes;
  return 0;
}

static int AppendLeaf(Reading* reading, Leaf leaf) {
  if (reading->leaf_count == reading->leaf_capacity) {
    Leaf* grown =
        Grow(reading->leaves, reading->inline_leaves, reading->leaf_capacity * sizeof(Leaf));
    if (grown == NULL) return -1;
    reading->leaves = grown;
    reading->leaf_capacity *= 2;
  }
  reading->leaves[reading->leaf_count++] = leaf;
  return 0;
}

int View(const State* state, Leaf* leaf) {
  leaf->view = PyObject_GetAttr(leaf->array, state->array_struct_name);
  if (leaf->view == NULL) return -1;
  leaf->interface = PyCapsule_GetPointer(leaf->view, NULL);
  if (leaf->interface == NULL) {
    Py_DECREF(leaf->view);
    return -1;
  }
  return 0;
}

// Returns what ReadTuple returns.
static int ReadArray(Reading* reading, PyObject* array) {
  PyObject* dtype = PyObject_GetAttr(array, reading->state->dtype_name);
  if (dtype == NULL) return -1;
  PyObject* known = PyDict_GetItemWithError(reading->state->numbers, dtype);
  const long number = known == NULL ? -1 : PyLong_AsLong(known);
  Py_DECREF(dtype);
  if (number < 0) return PyErr_Occurred() ? -1 : 0;

  Leaf leaf = {.array = array};
  if (View(reading->state, &leaf) < 0) return -1;
  if ((leaf.interface->flags & kRowMajor) == 0) {
    Py_DECREF(leaf.view);
    return 0;
  }
  if (AppendLeaf(reading, leaf) < 0) {
    Py_DECREF(leaf.view);
    return -1;
  }
  const int32_t form[2] = {(int32_t)number, leaf.interface->nd};
  if (AppendToKey(reading, form, sizeof(form)) < 0) return -1;
  const size_t shape_bytes = (size_t)leaf.interface->nd * sizeof(*leaf.interface->shape);
  if (shape_bytes != 0 && AppendToKey(reading, leaf.interface->shape, shape_bytes) < 0) return -1;
  return 1;
}

int ReadTuple(Reading* reading, PyObject* tuple) {
  static const int32_t kBegin = -1, kEnd = -2;
  if (Py_EnterRecursiveCall(" in the operands of a custom call")) return -1;
  int ready = AppendToKey(reading, &kBegin, sizeof(kBegin)) < 0 ? -1 : 1;
  const Py_ssize_t size = PyTuple_Size(tuple);
  for (Py_ssize_t i = 0; ready == 1 && i < size; ++i) {
    PyObject* operand = PyTuple_GetItem(tuple, i);
    if ((PyObject*)Py_TYPE(operand) == reading->state->ndarray) {
      ready = ReadArray(reading, operand);
    } else {
      ready = PyTuple_CheckExact(operand) ? ReadTuple(reading, operand) : 0;
    }
  }
  if (ready == 1 && AppendToKey(reading, &kEnd, sizeof(kEnd)) < 0) ready = -1;
  Py_LeaveRecursiveCall();
  return ready;
}
