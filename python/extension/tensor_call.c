#include "callbridge/python/extension/tensor_call.h"

#include <stdint.h>
#include <string.h>

#include "callbridge/c_api/callbridge.h"
#include "callbridge/python/extension/ended_thread.h"
#include "callbridge/python/extension/memory.h"
#include "callbridge/python/extension/raise.h"
#include "callbridge/python/extension/tensor_reading.h"

static uint64_t uses;  // what BoundTensorCall.last_use counts; changed with the GIL held

// ---- BoundTensorCall ----------------------------------------------------------------------------

typedef struct {
  PyObject* form;    // the arguments of Torch.empty
  Py_ssize_t alias;  // the operand whose memory it is, or -1
} ResultForm;

typedef struct {
  PyObject ob_base;
  PyObject* handle;  // _handles.CallHandle: destroys `call` when its last reference goes
  const callbridge_call* call;
  Py_ssize_t operand_count, result_count, made_count;
  ResultForm* results;
  int is_typed;
  uint64_t last_use;
} BoundTensorCall;

static void BoundTensorCallDealloc(PyObject* self) {
  BoundTensorCall* bound = (BoundTensorCall*)self;
  PyTypeObject* type = Py_TYPE(self);
  for (Py_ssize_t i = 0; bound->results != NULL && i < bound->result_count; ++i) {
    Py_XDECREF(bound->results[i].form);
  }
  PyMem_Free(bound->results);
  Py_XDECREF(bound->handle);
  PyObject_Free(self);
  Py_DECREF(type);
}

static int SetResult(const BoundTensorCall* bound, ResultForm* result, PyObject* form,
                     PyObject* alias) {
  if (alias == NULL) return -1;
  result->alias = PyLong_AsSsize_t(alias);
  if (PyErr_Occurred()) return -1;
  if (result->alias >= bound->operand_count) {
    PyErr_SetString(PyExc_IndexError, "an alias of no operand");
    return -1;
  }
  if (!PyTuple_CheckExact(form)) {
    PyErr_SetString(PyExc_TypeError, "expected a tuple of arguments");
    return -1;
  }
  result->form = Py_NewRef(form);
  return 0;
}

// Does what callbridge._calls._python_tensor_calls.BoundTensorCall.__init__ does.
static PyObject* BoundTensorCallNew(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  PyObject *handle, *results, *aliases;
  Py_ssize_t operand_count;
  int is_typed;
  if (!PyArg_ParseTuple(arguments, "OnO!O!p", &handle, &operand_count, &PyTuple_Type, &results,
                        &PyTuple_Type, &aliases, &is_typed)) {
    return NULL;
  }
  const callbridge_call* call = PyLong_AsVoidPtr(handle);
  if (PyErr_Occurred()) return NULL;
  BoundTensorCall* bound = PyObject_New(BoundTensorCall, type);
  if (bound == NULL) return NULL;
  bound->handle = Py_NewRef(handle);
  bound->call = call;
  bound->operand_count = operand_count;
  bound->result_count = PyTuple_Size(results);
  bound->made_count = 0;
  bound->is_typed = is_typed;
  bound->last_use = ++uses;
  bound->results = PyMem_Calloc((size_t)bound->result_count + 1, sizeof(ResultForm));
  if (bound->results == NULL) {
    PyErr_NoMemory();
    Py_CLEAR(bound);
  }
  for (Py_ssize_t i = 0; bound != NULL && i < bound->result_count; ++i) {
    if (SetResult(bound, &bound->results[i], PyTuple_GetItem(results, i),
                  PyTuple_GetItem(aliases, i)) < 0) {
      Py_CLEAR(bound);
    } else {
      bound->made_count += bound->results[i].alias < 0;
    }
  }
  return (PyObject*)bound;
}

static PyObject* BoundTensorCallLastUse(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromUnsignedLongLong(((BoundTensorCall*)self)->last_use);
}

static PyGetSetDef bound_tensor_call_attributes[] = {
    {"last_use", BoundTensorCallLastUse, NULL, "Is the greater the later the call was last made.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyType_Slot bound_tensor_call_slots[] = {
    {Py_tp_doc, "A target bound to tensors of one form."},
    {Py_tp_new, BoundTensorCallNew},
    {Py_tp_dealloc, BoundTensorCallDealloc},
    {Py_tp_getset, bound_tensor_call_attributes},
    {0, NULL},
};
PyType_Spec bound_tensor_call_spec = {
    .name = "callbridge_python.BoundTensorCall",
    .basicsize = sizeof(BoundTensorCall),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = bound_tensor_call_slots,
};

// Makes the results, into `pointers` and, as new references, `made`. Returns -1 with an exception
// set.
static int MakeResults(const BoundTensorCall* bound, const Torch* torch, void** operands,
                       void** pointers, PyObject** made) {
  for (Py_ssize_t i = 0; i < bound->result_count; ++i) {
    const ResultForm* result = &bound->results[i];
    if (result->alias >= 0) {
      pointers[i] = operands[result->alias];
      continue;
    }
    PyObject* tensor = PyObject_Call(torch->empty, result->form, NULL);
    if (tensor == NULL) return -1;
    *made++ = tensor;
    pointers[i] = TensorAddress(torch, tensor);
    if (pointers[i] == NULL) return -1;
    if ((uintptr_t)pointers[i] % torch->alignment != 0) {
      PyErr_SetString(PyExc_SystemError, "torch allocated memory that is not aligned");
      return -1;
    }
  }
  return 0;
}

// Calls the target on the tensors that were read. Returns what the operator returns; null with an
// exception set. `pointers` has room for the results' after the operands'.
static PyObject* CallBoundTensors(BoundTensorCall* bound, const State* state, Torch* torch,
                                  void** pointers, PyObject** made) {
  bound->last_use = ++uses;
  void** result_pointers = pointers + bound->operand_count;
  if (MakeResults(bound, torch, pointers, result_pointers, made) < 0) return NULL;
  CallContext call;
  if (MakeCallContext(torch, bound->is_typed, pointers, bound->operand_count + bound->result_count,
                      &call) < 0) {
    return NULL;
  }
  callbridge_error* error;
  Py_BEGIN_ALLOW_THREADS;
  REQUIRING_THREAD(error = callbridge_call_execute(bound->call, pointers,
                                                   (size_t)bound->operand_count, result_pointers,
                                                   (size_t)bound->result_count, &call.context));
  Py_END_ALLOW_THREADS;
  if (error != NULL) {
    Raise(state, error);
    return NULL;
  }
  if (bound->made_count == 0) return Py_NewRef(Py_None);
  if (bound->made_count == 1) return Py_XNewRef(made[0]);
  PyObject* results = PyTuple_New(bound->made_count);
  for (Py_ssize_t i = 0; results != NULL && i < bound->made_count; ++i) {
    if (PyTuple_SetItem(results, i, Py_XNewRef(made[i])) < 0) Py_CLEAR(results);
  }
  return results;
}

// ---- TensorCaller -------------------------------------------------------------------------------

// Has no tp_clear, because calls may come at any time.
typedef struct {
  PyObject ob_base;
  Torch* torch;
  PyObject* by_form;  // dict: keys to BoundTensorCall
  PyObject* bind;
  PyObject* prepare;
  PyObject* finish;      // or None
  int always_prepares;   // if it writes to operands
  int gradients_matter;  // unless a rule has been registered for them
  // The last call's, which the next one mostly has.
  PyObject* last_key;  // bytes, or null
  BoundTensorCall* last;
} TensorCaller;

static PyObject* TensorCallerNew(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  PyObject *torch, *by_form, *bind, *prepare, *finish;
  int gradients_matter;
  if (!PyArg_ParseTuple(arguments, "OO!OOOp", &torch, &PyDict_Type, &by_form, &bind, &prepare,
                        &finish, &gradients_matter)) {
    return NULL;
  }
  const State* state = PyType_GetModuleState(type);
  if (state == NULL) return NULL;
  if ((PyObject*)Py_TYPE(torch) != state->torch_type) {
    PyErr_SetString(PyExc_TypeError, "expected a Torch");
    return NULL;
  }
  TensorCaller* caller = PyObject_GC_New(TensorCaller, type);
  if (caller == NULL) return NULL;
  caller->torch = (Torch*)Py_NewRef(torch);
  caller->by_form = Py_NewRef(by_form);
  caller->bind = Py_NewRef(bind);
  caller->prepare = Py_NewRef(prepare);
  caller->finish = Py_NewRef(finish);
  caller->always_prepares = finish != Py_None;
  caller->gradients_matter = gradients_matter;
  caller->last_key = NULL;
  caller->last = NULL;
  PyObject_GC_Track(caller);
  return (PyObject*)caller;
}

static int TensorCallerTraverse(PyObject* self, visitproc visit, void* arg) {
  TensorCaller* caller = (TensorCaller*)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(caller->by_form);
  Py_VISIT(caller->bind);
  Py_VISIT(caller->prepare);
  Py_VISIT(caller->finish);
  return 0;
}

static void TensorCallerDealloc(PyObject* self) {
  TensorCaller* caller = (TensorCaller*)self;
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_DECREF((PyObject*)caller->torch);
  Py_DECREF(caller->by_form);
  Py_DECREF(caller->bind);
  Py_DECREF(caller->prepare);
  Py_DECREF(caller->finish);
  Py_XDECREF(caller->last_key);
  Py_XDECREF((PyObject*)caller->last);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

// Returns the BoundTensorCall for what was read, as a new reference.
static BoundTensorCall* FindBound(TensorCaller* caller, const State* state,
                                  const TensorReading* reading, PyObject* tensors) {
  if (caller->last_key != NULL && (size_t)PyBytes_Size(caller->last_key) == reading->key_size &&
      memcmp(PyBytes_AsString(caller->last_key), reading->key, reading->key_size) == 0) {
    return (BoundTensorCall*)Py_NewRef((PyObject*)caller->last);
  }
  PyObject* key = PyBytes_FromStringAndSize(reading->key, (Py_ssize_t)reading->key_size);
  if (key == NULL) return NULL;
  PyObject* bound = Py_XNewRef(PyDict_GetItemWithError(caller->by_form, key));
  if (bound == NULL && !PyErr_Occurred()) {
    bound = PyObject_CallFunctionObjArgs(caller->bind, key, tensors, NULL);
    if (bound != NULL && ((PyObject*)Py_TYPE(bound) != state->bound_tensor_call_type ||
                          ((BoundTensorCall*)bound)->operand_count != PyTuple_Size(tensors))) {
      Py_CLEAR(bound);
      PyErr_SetString(PyExc_TypeError, "bind() must return a BoundTensorCall of these tensors");
    }
  }
  if (bound == NULL) {
    Py_DECREF(key);
    return NULL;
  }
  PyObject* const old_key = caller->last_key;
  PyObject* const old = (PyObject*)caller->last;
  caller->last_key = key;
  caller->last = (BoundTensorCall*)Py_NewRef(bound);
  Py_XDECREF(old_key);
  Py_XDECREF(old);
  return (BoundTensorCall*)bound;
}

// Returns the tensors with their pointers and their form read: as they are, or prepared. A new
// reference; null with an exception set.
static PyObject* Ready(TensorCaller* caller, TensorReading* reading, PyObject* tensors) {
  int ready = 0;
  if (!caller->always_prepares) {
    ready = ReadTensors(reading, tensors, caller->gradients_matter);
    if (ready == 1) return Py_NewRef(tensors);
    if (ready < 0) return NULL;
  }
  PyObject* prepared = PyObject_CallFunctionObjArgs(caller->prepare, tensors, NULL);
  if (prepared == NULL) return NULL;
  if (!PyTuple_CheckExact(prepared) || PyTuple_Size(prepared) != PyTuple_Size(tensors)) {
    PyErr_SetString(PyExc_TypeError, "prepare() must return a tuple of as many tensors");
    ready = -1;
  } else {
    reading->key_size = 0;
    ready = ReadTensors(reading, prepared, /*gradients_matter=*/0);
    if (ready == 0) PyErr_SetString(PyExc_SystemError, "prepare() left a tensor unprepared");
  }
  if (ready != 1) Py_CLEAR(prepared);
  return prepared;
}

static PyObject* CallRead(TensorCaller* caller, const State* state, TensorReading* reading,
                          PyObject* tensors, PyObject* prepared) {
  BoundTensorCall* bound = FindBound(caller, state, reading, prepared);
  if (bound == NULL) return NULL;
  void* inline_pointers[kInlineTensors];
  PyObject* inline_made[kInlineTensors] = {NULL};
  void** pointers = inline_pointers;
  PyObject** made = inline_made;
  PyObject* result = NULL;
  const Py_ssize_t operand_count = bound->operand_count;
  const size_t count = (size_t)(operand_count + bound->result_count);
  if (count > kInlineTensors) {
    pointers = PyMem_Malloc(count * sizeof(*pointers));
    made = PyMem_Calloc(count, sizeof(void*));
  }
  if (pointers == NULL || made == NULL) {
    PyErr_NoMemory();
  } else {
    memcpy(pointers, reading->pointers, (size_t)operand_count * sizeof(*pointers));
    result = CallBoundTensors(bound, state, caller->torch, pointers, made);
    for (Py_ssize_t i = 0; i < bound->made_count; ++i) Py_XDECREF(made[i]);
  }
  if (count > kInlineTensors) {
    PyMem_Free(pointers);
    PyMem_Free(made);
  }
  Py_DECREF((PyObject*)bound);
  if (result == NULL || caller->finish == Py_None) return result;
  PyObject* finished = PyObject_CallFunctionObjArgs(caller->finish, tensors, prepared, NULL);
  if (finished == NULL) Py_CLEAR(result);
  Py_XDECREF(finished);
  return result;
}

static PyObject* TensorCallerCall(PyObject* self, PyObject* tensors, PyObject* keywords) {
  TensorCaller* caller = (TensorCaller*)self;
  if (keywords != NULL && PyDict_Size(keywords) != 0) {
    PyErr_SetString(PyExc_TypeError, "expected tensors by position");
    return NULL;
  }
  const State* state = PyType_GetModuleState(Py_TYPE(self));
  if (state == NULL) return NULL;
  void* inline_pointers[kInlineTensors];
  void** pointers = inline_pointers;
  const size_t count = (size_t)PyTuple_Size(tensors);
  if (count > kInlineTensors && (pointers = PyMem_Malloc(count * sizeof(*pointers))) == NULL) {
    return PyErr_NoMemory();
  }
  TensorReading reading;
  BeginTensorReading(&reading, caller->torch, pointers);
  PyObject* result = NULL;
  PyObject* prepared = Ready(caller, &reading, tensors);
  if (prepared != NULL) {
    result = CallRead(caller, state, &reading, tensors, prepared);
    Py_DECREF(prepared);
  }
  EndTensorReading(&reading);
  if (pointers != inline_pointers) PyMem_Free(pointers);
  return result;
}

static PyType_Slot tensor_caller_slots[] = {
    {Py_tp_doc, "Finds the BoundTensorCall for tensors, and calls it."},
    {Py_tp_new, TensorCallerNew},
    {Py_tp_dealloc, TensorCallerDealloc},
    {Py_tp_traverse, TensorCallerTraverse},
    {Py_tp_call, TensorCallerCall},
    {0, NULL},
};
PyType_Spec tensor_caller_spec = {
    .name = "callbridge_python.TensorCaller",
    .basicsize = sizeof(TensorCaller),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = tensor_caller_slots,
};
