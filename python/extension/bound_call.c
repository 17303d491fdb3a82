#include "callbridge/python/extension/bound_call.h"

#include <string.h>

#include "callbridge/python/extension/ended_thread.h"
#include "callbridge/python/extension/memory.h"
#include "callbridge/python/extension/raise.h"

static uint64_t uses;  // what BoundCall.last_use counts; changed with the GIL held

static size_t Aligned(size_t size_bytes) {
  return (size_bytes + kAlignment - 1) & ~(size_t)(kAlignment - 1);
}

static void BoundCallDealloc(PyObject* self) {
  BoundCall* bound = (BoundCall*)self;
  PyTypeObject* type = Py_TYPE(self);
  for (size_t i = 0; bound->forms != NULL && i < bound->operand_count + bound->result_count; ++i) {
    Py_XDECREF(bound->forms[i].shape);
    Py_XDECREF(bound->forms[i].dtype);
    Py_XDECREF(bound->forms[i].convert);
  }
  PyMem_Free(bound->forms);
  PyMem_Free(bound->aliases);
  Py_XDECREF(bound->tree);
  Py_XDECREF(bound->handle);
  PyObject_Free(self);
  Py_DECREF(type);
}

// `described` is a _buffers.Form; `convert` names the function among its attributes.
static int SetForm(Form* form, PyObject* described, const char* convert) {
  PyObject* size_bytes = PyObject_GetAttrString(described, "size_bytes");
  form->size_bytes = size_bytes == NULL ? 0 : PyLong_AsSize_t(size_bytes);
  Py_XDECREF(size_bytes);
  if (PyErr_Occurred()) return -1;
  if (form->size_bytes > PY_SSIZE_T_MAX / 2) {
    PyErr_NoMemory();
    return -1;
  }
  const int is_whole = (form->shape = PyObject_GetAttrString(described, "stored_shape")) != NULL &&
                       (form->dtype = PyObject_GetAttrString(described, "stored_dtype")) != NULL &&
                       (form->convert = PyObject_GetAttrString(described, convert)) != NULL;
  return is_whole ? 0 : -1;
}

static int SetForms(BoundCall* bound, PyObject* operands, PyObject* results, PyObject* aliases) {
  bound->forms = PyMem_Calloc(bound->operand_count + bound->result_count + 1, sizeof(Form));
  bound->aliases = PyMem_Calloc(bound->result_count + 1, sizeof(*bound->aliases));
  if (bound->forms == NULL || bound->aliases == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  Form* form = bound->forms;
  for (size_t i = 0; i < bound->operand_count; ++i) {
    if (SetForm(form++, PyTuple_GetItem(operands, (Py_ssize_t)i), "pack") < 0) return -1;
  }
  for (size_t i = 0; i < bound->result_count; ++i) {
    if (SetForm(form++, PyTuple_GetItem(results, (Py_ssize_t)i), "unpack") < 0) return -1;
    PyObject* alias = PyTuple_GetItem(aliases, (Py_ssize_t)i);
    bound->aliases[i] = alias == NULL ? -1 : PyLong_AsLongLong(alias);
    if (PyErr_Occurred()) return -1;
    if (bound->aliases[i] >= (int64_t)bound->operand_count) {
      PyErr_SetString(PyExc_IndexError, "an alias of no operand");
      return -1;
    }
  }
  return 0;
}

// Does what callbridge._calls._python_calls.BoundCall.__init__ does.
static PyObject* BoundCallNew(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  PyObject *handle, *operands, *results, *aliases, *tree;
  if (!PyArg_ParseTuple(arguments, "OO!O!O!O", &handle, &PyTuple_Type, &operands, &PyTuple_Type,
                        &results, &PyTuple_Type, &aliases, &tree)) {
    return NULL;
  }
  const callbridge_call* call = PyLong_AsVoidPtr(handle);
  if (PyErr_Occurred()) return NULL;
  BoundCall* bound = PyObject_New(BoundCall, type);
  if (bound == NULL) return NULL;
  bound->handle = Py_NewRef(handle);
  bound->call = call;
  bound->operand_count = (size_t)PyTuple_Size(operands);
  bound->result_count = (size_t)PyTuple_Size(results);
  bound->tree = Py_NewRef(tree);
  bound->last_use = ++uses;
  if (SetForms(bound, operands, results, aliases) < 0) Py_CLEAR(bound);
  return (PyObject*)bound;
}

static PyObject* BoundCallLastUse(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromUnsignedLongLong(((BoundCall*)self)->last_use);
}

static PyGetSetDef bound_call_attributes[] = {
    {"last_use", BoundCallLastUse, NULL, "Is the greater the later the call was last made.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot bound_call_slots[] = {
    {Py_tp_doc, "A target bound to operands of one form."},
    {Py_tp_new, BoundCallNew},
    {Py_tp_dealloc, BoundCallDealloc},
    {Py_tp_getset, bound_call_attributes},
    {0, NULL},
};
PyType_Spec bound_call_spec = {
    .name = "callbridge_python.BoundCall",
    .basicsize = sizeof(BoundCall),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = bound_call_slots,
};

// Returns the array in `memory`. Takes over the reference.
static PyObject* ResultArray(const State* state, const Form* form, Memory* memory) {
  PyObject* array = PyObject_CallFunctionObjArgs(state->ndarray, form->shape, form->dtype,
                                                 (PyObject*)memory, NULL);
  Py_DECREF(memory);
  if (array == NULL || form->convert == Py_None) return array;
  PyObject* unpacked = PyObject_CallFunctionObjArgs(form->convert, array, NULL);
  Py_DECREF(array);
  return unpacked;
}

// Returns the result in the form of `tree`. Takes its arrays from `memories`; `*next` counts them.
static PyObject* ResultTree(const State* state, BoundCall* bound, PyObject* tree, Memory** memories,
                            size_t* next) {
  if (!PyTuple_CheckExact(tree)) {
    const size_t i = (*next)++;
    Memory* memory = i < bound->result_count ? memories[i] : NULL;
    if (memory == NULL) {
      PyErr_SetString(PyExc_SystemError, "a result has more arrays than its form");
      return NULL;
    }
    memories[i] = NULL;
    return ResultArray(state, &bound->forms[bound->operand_count + i], memory);
  }
  const Py_ssize_t size = PyTuple_Size(tree);
  PyObject* tuple = PyTuple_New(size);
  for (Py_ssize_t i = 0; tuple != NULL && i < size; ++i) {
    PyObject* element = ResultTree(state, bound, PyTuple_GetItem(tree, i), memories, next);
    if (element == NULL || PyTuple_SetItem(tuple, i, element) < 0) Py_CLEAR(tuple);
  }
  return tuple;
}

// Replaces operands with elements of less than a byte by packed ones. `packed` gets what must
// outlive the call.
static int Pack(const BoundCall* bound, Reading* reading, PyObject* packed) {
  for (size_t i = 0; i < bound->operand_count; ++i) {
    Leaf* leaf = &reading->leaves[i];
    if (bound->forms[i].convert == Py_None) continue;
    PyObject* array = PyObject_CallFunctionObjArgs(bound->forms[i].convert, leaf->array, NULL);
    if (array == NULL) return -1;
    const int kept = PyList_Append(packed, array);
    Py_DECREF(array);
    if (kept < 0) return -1;
    Leaf replaced = {.array = array};
    if (View(reading->state, &replaced) < 0) return -1;
    Py_DECREF(leaf->view);
    *leaf = replaced;
  }
  return 0;
}

static size_t SizeBytes(const ArrayInterface* array) {
  size_t size_bytes = (size_t)array->itemsize;
  for (int i = 0; i < array->nd; ++i) size_bytes *= (size_t)array->shape[i];
  return size_bytes;
}

// Calls the target on copies of the operands. `memories` receives the results' memory.
static int Execute(const BoundCall* bound, const Reading* reading, Memory** memories) {
  const size_t operand_count = bound->operand_count, result_count = bound->result_count;
  const Form* const result_forms = bound->forms + operand_count;
  const size_t pointer_bytes = (operand_count + result_count) * sizeof(void*);
  size_t block_bytes = pointer_bytes + kAlignment;
  for (size_t i = 0; i < operand_count; ++i) {
    const size_t size_bytes = bound->forms[i].size_bytes;
    if (SizeBytes(reading->leaves[i].interface) != size_bytes) {
      PyErr_SetString(PyExc_SystemError, "an operand has another size than its form");
      return -1;
    }
    block_bytes += Aligned(size_bytes);
  }
  char* const block = PyMem_Malloc(block_bytes);
  if (block == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  void** const pointers = (void**)block;
  void** const result_pointers = pointers + operand_count;
  char* next = AlignUp(block + pointer_bytes);
  for (size_t i = 0; i < operand_count; ++i) {
    pointers[i] = next;
    next += Aligned(bound->forms[i].size_bytes);
  }
  for (size_t i = 0; i < result_count; ++i) {
    memories[i] = NewMemory(reading->state, result_forms[i].size_bytes);
    if (memories[i] == NULL) {
      PyMem_Free(block);
      return -1;
    }
    result_pointers[i] = memories[i]->data;
    if (bound->aliases[i] >= 0) pointers[bound->aliases[i]] = result_pointers[i];
  }

  callbridge_execution_context context = {.struct_size = sizeof(context), .as_xla_cpu = 1};
  callbridge_error* error;
  Py_BEGIN_ALLOW_THREADS;
  for (size_t i = 0; i < operand_count; ++i) {
    const size_t size_bytes = bound->forms[i].size_bytes;
    if (size_bytes != 0) memcpy(pointers[i], reading->leaves[i].interface->data, size_bytes);
  }
  REQUIRING_THREAD(error = callbridge_call_execute(bound->call, pointers, operand_count,
                                                   result_pointers, result_count, &context));
  Py_END_ALLOW_THREADS;
  PyMem_Free(block);
  if (error == NULL) return 0;
  Raise(reading->state, error);
  return -1;
}

PyObject* CallBound(BoundCall* bound, Reading* reading) {
  bound->last_use = ++uses;
  if (reading->leaf_count != bound->operand_count) {
    PyErr_SetString(PyExc_SystemError, "a call of a form has another number of operands");
    return NULL;
  }
  PyObject* result = NULL;
  PyObject* const packed = PyList_New(0);
  Memory* inline_memories[kInlineLeaves] = {NULL};
  Memory** memories = inline_memories;
  if (bound->result_count > kInlineLeaves) {
    memories = PyMem_Calloc(bound->result_count, sizeof(void*));
    if (memories == NULL) PyErr_NoMemory();
  }
  if (packed != NULL && memories != NULL && Pack(bound, reading, packed) == 0 &&
      Execute(bound, reading, memories) == 0) {
    size_t next = 0;
    result = ResultTree(reading->state, bound, bound->tree, memories, &next);
  }
  for (size_t i = 0; memories != NULL && i < bound->result_count; ++i)
    Py_XDECREF((PyObject*)memories[i]);
  if (memories != inline_memories) PyMem_Free(memories);
  Py_XDECREF(packed);
  return result;
}
