// NumPy arrays as operands, which are copied, and as results.

#include "callbridge/python/extension/bound_call.h"

// ---- The memory of a result ---------------------------------------------------------------------

// A Python object that exports its bytes as a buffer. An array that views them keeps it alive.
typedef struct {
  PyObject ob_base;
  char* block;  // owned
  char* data;
  Py_ssize_t size_bytes;
} Memory;

// Returns the first aligned address that is not before `pointer`.
static char* AlignUp(char* pointer) { return pointer + (-(uintptr_t)pointer & (kAlignment - 1)); }

// Returns zeroed memory, or null with an exception set.
static Memory* NewMemory(const State* state, size_t size_bytes) {
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

// ---- Reading ------------------------------------------------------------------------------------

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

// Flags of ArrayInterface.
enum { kRowMajor = 0x1 };

// Returns the interface of `operand->object`, a NumPy array or scalar, and sets the rest of
// `operand`. Returns null with an exception set.
static const ArrayInterface* View(const State* state, Operand* operand) {
  operand->view = PyObject_GetAttr(operand->object, state->array_struct_name);
  if (operand->view == NULL) return NULL;
  const ArrayInterface* interface = PyCapsule_GetPointer(operand->view, NULL);
  if (interface == NULL) {
    Py_DECREF(operand->view);
    return NULL;
  }
  operand->data = interface->data;
  operand->copied_bytes = (size_t)interface->itemsize;
  for (int i = 0; i < interface->nd; ++i) operand->copied_bytes *= (size_t)interface->shape[i];
  return interface;
}

// Returns what ReadArrays returns.
static int ReadArray(Reading* reading, PyObject* array) {
  PyObject* dtype = PyObject_GetAttr(array, reading->state->dtype_name);
  if (dtype == NULL) return -1;
  PyObject* known = PyDict_GetItemWithError(reading->state->numbers, dtype);
  const long number = known == NULL ? -1 : PyLong_AsLong(known);
  Py_DECREF(dtype);
  if (number < 0) return PyErr_Occurred() ? -1 : 0;

  Operand operand = {.object = array};
  const ArrayInterface* interface = View(reading->state, &operand);
  if (interface == NULL) return -1;
  if ((interface->flags & kRowMajor) == 0) {
    Py_DECREF(operand.view);
    return 0;
  }
  if (AppendOperand(reading, operand) < 0) {
    Py_DECREF(operand.view);
    return -1;
  }
  const int32_t form[2] = {(int32_t)number, interface->nd};
  if (AppendToKey(reading, form, sizeof(form)) < 0) return -1;
  const size_t shape_bytes = (size_t)interface->nd * sizeof(*interface->shape);
  return shape_bytes != 0 && AppendToKey(reading, interface->shape, shape_bytes) < 0 ? -1 : 1;
}

static int ReadArrays(Reading* reading, PyObject* operands) {
  static const int32_t kBegin = -1, kEnd = -2;
  if (Py_EnterRecursiveCall(" in the operands of a custom call")) return -1;
  int ready = AppendToKey(reading, &kBegin, sizeof(kBegin)) < 0 ? -1 : 1;
  const Py_ssize_t size = PyTuple_Size(operands);
  for (Py_ssize_t i = 0; ready == 1 && i < size; ++i) {
    PyObject* operand = PyTuple_GetItem(operands, i);
    if ((PyObject*)Py_TYPE(operand) == reading->state->ndarray) {
      ready = ReadArray(reading, operand);
    } else {
      ready = PyTuple_CheckExact(operand) ? ReadArrays(reading, operand) : 0;
    }
  }
  if (ready == 1 && AppendToKey(reading, &kEnd, sizeof(kEnd)) < 0) ready = -1;
  Py_LeaveRecursiveCall();
  return ready;
}

// ---- Calling ------------------------------------------------------------------------------------

// `described` is a _buffers.Form.
static int SetArrayForm(Form* form, PyObject* described, int is_result) {
  PyObject* size_bytes = PyObject_GetAttrString(described, "size_bytes");
  form->size_bytes = size_bytes == NULL ? 0 : PyLong_AsSize_t(size_bytes);
  Py_XDECREF(size_bytes);
  if (PyErr_Occurred()) return -1;
  if (form->size_bytes > PY_SSIZE_T_MAX / 2) {
    PyErr_NoMemory();
    return -1;
  }
  const char* convert = is_result ? "unpack" : "pack";
  const int is_whole = (form->shape = PyObject_GetAttrString(described, "stored_shape")) != NULL &&
                       (form->dtype = PyObject_GetAttrString(described, "stored_dtype")) != NULL &&
                       (form->convert = PyObject_GetAttrString(described, convert)) != NULL;
  return is_whole ? 0 : -1;
}

// Replaces operands with elements of less than a byte by packed ones.
static int Pack(const BoundCall* bound, Reading* reading) {
  for (size_t i = 0; i < bound->operand_count; ++i) {
    if (bound->forms[i].convert == Py_None) continue;
    Operand* operand = &reading->operands[i];
    PyObject* array = PyObject_CallFunctionObjArgs(bound->forms[i].convert, operand->object, NULL);
    if (array == NULL) return -1;
    Operand packed = {.object = array};
    const ArrayInterface* interface = View(reading->state, &packed);
    Py_DECREF(array);  // the view keeps its memory
    if (interface == NULL) return -1;
    packed.object = operand->object;
    Py_DECREF(operand->view);
    *operand = packed;
  }
  return 0;
}

static size_t Aligned(size_t size_bytes) {
  return (size_bytes + kAlignment - 1) & ~(size_t)(kAlignment - 1);
}

static int PlaceArrays(const BoundCall* bound, Reading* reading, Call* call) {
  if (Pack(bound, reading) < 0) return -1;
  size_t block_bytes = kAlignment;
  for (size_t i = 0; i < bound->operand_count; ++i) {
    if (reading->operands[i].copied_bytes != bound->forms[i].size_bytes) {
      PyErr_SetString(PyExc_SystemError, "an operand has another size than its form");
      return -1;
    }
    block_bytes += Aligned(bound->forms[i].size_bytes);
  }
  call->block = PyMem_Malloc(block_bytes);
  if (call->block == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  char* next = AlignUp(call->block);
  for (size_t i = 0; i < bound->operand_count; ++i) {
    call->operands[i] = next;
    next += Aligned(bound->forms[i].size_bytes);
  }
  const Form* const result_forms = bound->forms + bound->operand_count;
  for (size_t i = 0; i < bound->result_count; ++i) {
    Memory* memory = NewMemory(reading->state, result_forms[i].size_bytes);
    if (memory == NULL) return -1;
    call->made[i] = (PyObject*)memory;
    call->results[i] = memory->data;
    if (bound->aliases[i] >= 0) call->operands[bound->aliases[i]] = memory->data;
  }
  call->context =
      (callbridge_execution_context){.struct_size = sizeof(call->context), .as_xla_cpu = 1};
  return 0;
}

// Returns the array in the Memory `made`.
static PyObject* ResultArray(const State* state, const Form* form, PyObject* made) {
  PyObject* array =
      PyObject_CallFunctionObjArgs(state->ndarray, form->shape, form->dtype, made, NULL);
  Py_DECREF(made);
  if (array == NULL || form->convert == Py_None) return array;
  PyObject* unpacked = PyObject_CallFunctionObjArgs(form->convert, array, NULL);
  Py_DECREF(array);
  return unpacked;
}

const OperandKind array_kind = {
    .set_form = SetArrayForm,
    .read = ReadArrays,
    .place = PlaceArrays,
    .result = ResultArray,
};
