#include "callbridge/python/extension/memory.h"

#include <stdint.h>

char* AlignUp(char* pointer) { return pointer + (-(uintptr_t)pointer & (kAlignment - 1)); }

Memory* NewMemory(const State* state, size_t size_bytes) {
  Memory* memory = PyObject_New(Memory, (PyTypeObject*)state->memory_type);
  if (memory == NULL) return NULL;
  memory->block = PyMem_Calloc(1, size_bytes + kAlignment);
  if (memory->block == NULL) {
    Py_DECREF(memory);
    PyErr_NoMemory();
    return NULL;
  }
  memory->data = AlignUp(memory->block);
  memory->size_bytes = (Py_ssize_t)size_bytes;
  return memory;
}

static void MemoryDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyMem_Free(((Memory*)self)->block);
  PyObject_Free(self);
  Py_DECREF(type);
}

static int MemoryGetBuffer(PyObject* self, Py_buffer* view, int flags) {
  Memory* memory = (Memory*)self;
  return PyBuffer_FillInfo(view, self, memory->data, memory->size_bytes, /*readonly=*/0, flags);
}

static PyType_Slot memory_slots[] = {
    {Py_tp_doc, "The memory of an array that a target made."},
    {Py_tp_dealloc, MemoryDealloc},
    {Py_bf_getbuffer, MemoryGetBuffer},
    {0, NULL},
};
PyType_Spec memory_spec = {
    .name = "callbridge_python.Memory",
    .basicsize = sizeof(Memory),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = memory_slots,
};
