#include "callbridge/python/extension/reading.h"

void BeginReading(Reading* reading, const State* state, PyObject* torch, int gradients_matter) {
  reading->state = state;
  reading->torch = torch;
  reading->gradients_matter = gradients_matter;
  reading->operands = reading->inline_operands;
  reading->operand_count = 0;
  reading->operand_capacity = kInlineOperands;
  reading->key = reading->inline_key;
  reading->key_size = 0;
  reading->key_capacity = kInlineKeyBytes;
}

void EndReading(Reading* reading) {
  for (size_t i = 0; i < reading->operand_count; ++i) Py_XDECREF(reading->operands[i].view);
  if (reading->operands != reading->inline_operands) PyMem_Free(reading->operands);
  if (reading->key != reading->inline_key) PyMem_Free(reading->key);
}

// Returns a block of `capacity` bytes that begins with the contents of `old`. Frees `old` unless it
// is `inline_block`. Returns null with an exception set on failure.
static void* Grow(void* old, const void* inline_block, size_t size_bytes, size_t capacity) {
  void* grown = PyMem_Malloc(capacity);
  if (grown == NULL) return PyErr_NoMemory();
  memcpy(grown, old, size_bytes);
  if (old != inline_block) PyMem_Free(old);
  return grown;
}

int GrowOperands(Reading* reading) {
  const size_t size_bytes = reading->operand_capacity * sizeof(Operand);
  Operand* grown = Grow(reading->operands, reading->inline_operands, size_bytes, 2 * size_bytes);
  if (grown == NULL) return -1;
  reading->operands = grown;
  reading->operand_capacity *= 2;
  return 0;
}

int GrowKey(Reading* reading, size_t size_bytes) {
  const size_t capacity = 2 * (reading->key_capacity + size_bytes);
  char* grown = Grow(reading->key, reading->inline_key, reading->key_size, capacity);
  if (grown == NULL) return -1;
  reading->key = grown;
  reading->key_capacity = capacity;
  return 0;
}
