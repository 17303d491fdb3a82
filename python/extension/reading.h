// The operands of a call as they are read, and what distinguishes their form from others.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_READING_H_
#define CALLBRIDGE_PYTHON_EXTENSION_READING_H_

#include <stdint.h>
#include <string.h>

#include "callbridge/python/extension/module.h"

enum { kInlineOperands = 16, kInlineKeyBytes = 512 };

// Bytes, as XLA:CPU aligns its buffers, since old code may use aligned instructions.
enum { kAlignment = 64 };

typedef struct {
  PyObject* object;  // borrowed
  PyObject* view;    // owned, and keeps `data` valid; null if `object` does
  void* data;
  size_t copied_bytes;  // of which the target gets a copy; 0: it gets `data`, or there are none
} Operand;

// The operands in a tree, in preorder, and the bytes that distinguish its form from others.
typedef struct {
  const State* state;
  PyObject* torch;       // the Torch of a call on tensors; null: on NumPy arrays
  int gradients_matter;  // of tensors, unless they were checked
  Operand* operands;
  size_t operand_count, operand_capacity;
  char* key;
  size_t key_size, key_capacity;
  Operand inline_operands[kInlineOperands];
  char inline_key[kInlineKeyBytes];
} Reading;

void BeginReading(Reading* reading, const State* state, PyObject* torch, int gradients_matter);
void EndReading(Reading* reading);

// Make room for one operand, or for that many bytes, more. Return -1 with an exception set.
int GrowOperands(Reading* reading);
int GrowKey(Reading* reading, size_t size_bytes);

// Returns -1 with an exception set, without taking over the view then.
static inline int AppendOperand(Reading* reading, Operand operand) {
  if (reading->operand_count == reading->operand_capacity && GrowOperands(reading) < 0) return -1;
  reading->operands[reading->operand_count++] = operand;
  return 0;
}

// Returns -1 with an exception set.
static inline int AppendToKey(Reading* reading, const void* bytes, size_t size_bytes) {
  if (reading->key_capacity - reading->key_size < size_bytes && GrowKey(reading, size_bytes) < 0) {
    return -1;
  }
  memcpy(reading->key + reading->key_size, bytes, size_bytes);
  reading->key_size += size_bytes;
  return 0;
}

#endif  // CALLBRIDGE_PYTHON_EXTENSION_READING_H_
