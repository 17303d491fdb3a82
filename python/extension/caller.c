// What Python calls: objects that find what operands need, and call it.
//
// They have no tp_clear, because calls may come at any time. Cycles go through the functions that
// they hold, which the garbage collector can clear.

#include "callbridge/python/extension/bound_call.h"
#include "callbridge/python/extension/tensors.h"

static int IsPlainTuple(PyObject* operands) {
  if (PyTuple_CheckExact(operands)) return 1;
  PyErr_SetString(PyExc_TypeError, "expected a plain tuple of operands");
  return 0;
}

// ---- Caller: calls a target ---------------------------------------------------------------------

typedef struct {
  PyObject ob_base;
  PyObject* by_form;  // dict: keys to BoundCall
  PyObject* prepare;
  PyObject* bind;
  PyObject* torch;   // a Torch; null: calls are on NumPy arrays
  PyObject* finish;  // or null; if not, all operands are prepared, since the target writes to some
  const OperandKind* kind;
  int gradients_matter;
  // The last call's, which the next one mostly has.
  PyObject* last_key;  // bytes, or null
  BoundCall* last;
} Caller;

// Does what callbridge._calls._python_calls.Caller.__init__ does.
static PyObject* CallerNew(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  PyObject *by_form, *prepare, *bind;
  PyObject *torch = Py_None, *finish = Py_None;
  int gradients_matter = 0;
  if (!PyArg_ParseTuple(arguments, "O!OO|OOp", &PyDict_Type, &by_form, &prepare, &bind, &torch,
                        &finish, &gradients_matter)) {
    return NULL;
  }
  const State* state = PyType_GetModuleState(type);
  if (state == NULL || (torch != Py_None && AsTorch(state, torch) == NULL)) return NULL;
  Caller* caller = PyObject_GC_New(Caller, type);
  if (caller == NULL) return NULL;
  caller->by_form = Py_NewRef(by_form);
  caller->prepare = Py_NewRef(prepare);
  caller->bind = Py_NewRef(bind);
  caller->torch = torch == Py_None ? NULL : Py_NewRef(torch);
  caller->finish = finish == Py_None ? NULL : Py_NewRef(finish);
  caller->kind = torch == Py_None ? &array_kind : &tensor_kind;
  caller->gradients_matter = gradients_matter;
  caller->last_key = NULL;
  caller->last = NULL;
  PyObject_GC_Track(caller);
  return (PyObject*)caller;
}

static int CallerTraverse(PyObject* self, visitproc visit, void* arg) {
  Caller* caller = (Caller*)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(caller->by_form);
  Py_VISIT(caller->prepare);
  Py_VISIT(caller->bind);
  Py_VISIT(caller->finish);
  return 0;
}

static void CallerDealloc(PyObject* self) {
  Caller* caller = (Caller*)self;
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_DECREF(caller->by_form);
  Py_DECREF(caller->prepare);
  Py_DECREF(caller->bind);
  Py_XDECREF(caller->torch);
  Py_XDECREF(caller->finish);
  Py_XDECREF(caller->last_key);
  Py_XDECREF((PyObject*)caller->last);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

// Returns the tuple of operands that was read: as they are, or prepared. A new reference; null with
// an exception set.
static PyObject* Read(Caller* caller, Reading* reading, PyObject* operands) {
  int ready = caller->finish != NULL ? 0 : caller->kind->read(reading, operands);
  if (ready == 1) return Py_NewRef(operands);
  if (ready < 0) return NULL;
  EndReading(reading);
  BeginReading(reading, reading->state, caller->torch, /*gradients_matter=*/0);
  PyObject* prepared = PyObject_CallFunctionObjArgs(caller->prepare, operands, NULL);
  if (prepared == NULL) return NULL;
  if (PyTuple_CheckExact(prepared)) ready = caller->kind->read(reading, prepared);
  if (ready == 0) PyErr_SetString(PyExc_SystemError, "prepare() left an operand unprepared");
  if (ready != 1) Py_CLEAR(prepared);
  return prepared;
}

// Returns the BoundCall for what was read, as a new reference.
static BoundCall* Find(Caller* caller, const Reading* reading, PyObject* operands) {
  if (caller->last_key != NULL && (size_t)PyBytes_Size(caller->last_key) == reading->key_size &&
      memcmp(PyBytes_AsString(caller->last_key), reading->key, reading->key_size) == 0) {
    return (BoundCall*)Py_NewRef((PyObject*)caller->last);
  }
  PyObject* key = PyBytes_FromStringAndSize(reading->key, (Py_ssize_t)reading->key_size);
  if (key == NULL) return NULL;
  PyObject* bound = Py_XNewRef(PyDict_GetItemWithError(caller->by_form, key));
  if (bound == NULL && !PyErr_Occurred()) {
    bound = PyObject_CallFunctionObjArgs(caller->bind, key, operands, NULL);
    if (bound != NULL && ((PyObject*)Py_TYPE(bound) != reading->state->bound_call_type ||
                          ((BoundCall*)bound)->kind != caller->kind)) {
      Py_CLEAR(bound);
      PyErr_SetString(PyExc_TypeError, "bind() must return a BoundCall of such operands");
    }
  }
  if (bound == NULL) {
    Py_DECREF(key);
    return NULL;
  }
  PyObject* const old_key = caller->last_key;
  PyObject* const old = (PyObject*)caller->last;
  caller->last_key = key;
  caller->last = (BoundCall*)Py_NewRef(bound);
  Py_XDECREF(old_key);
  Py_XDECREF(old);
  return (BoundCall*)bound;
}

static PyObject* CallTarget(Caller* caller, PyObject* operands) {
  const State* state = PyType_GetModuleState(Py_TYPE((PyObject*)caller));
  if (state == NULL) return NULL;
  Reading reading;
  BeginReading(&reading, state, caller->torch, caller->gradients_matter);
  PyObject* result = NULL;
  PyObject* const read = Read(caller, &reading, operands);
  BoundCall* const bound = read == NULL ? NULL : Find(caller, &reading, read);
  if (bound != NULL) {
    result = CallBound(bound, &reading);
    Py_DECREF((PyObject*)bound);
  }
  if (result != NULL && caller->finish != NULL) {
    PyObject* finished = PyObject_CallFunctionObjArgs(caller->finish, operands, read, NULL);
    if (finished == NULL) Py_CLEAR(result);
    Py_XDECREF(finished);
  }
  EndReading(&reading);
  Py_XDECREF(read);
  return result;
}

static PyObject* CallerCall(PyObject* self, PyObject* operands) {
  return IsPlainTuple(operands) ? CallTarget((Caller*)self, operands) : NULL;
}

static PyObject* CallerCallDirectly(PyObject* self, PyObject* operands, PyObject* keywords) {
  if (keywords != NULL && PyDict_Size(keywords) != 0) {
    PyErr_SetString(PyExc_TypeError, "expected operands by position");
    return NULL;
  }
  return CallTarget((Caller*)self, operands);
}

static PyMethodDef caller_methods[] = {
    {"call", CallerCall, METH_O, "Calls the target on a tuple of operands."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot caller_slots[] = {
    {Py_tp_doc, "Finds the BoundCall for operands, and calls it."},
    {Py_tp_new, CallerNew},
    {Py_tp_dealloc, CallerDealloc},
    {Py_tp_traverse, CallerTraverse},
    {Py_tp_call, CallerCallDirectly},
    {Py_tp_methods, caller_methods},
    {0, NULL},
};
PyType_Spec caller_spec = {
    .name = "callbridge_python.Caller",
    .basicsize = sizeof(Caller),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = caller_slots,
};

// ---- TensorFunction: calls an operator ----------------------------------------------------------

typedef struct {
  PyObject ob_base;
  Torch* torch;
  PyObject* operators;  // dict: numbers of operands to what torch calls
  PyObject* call_any;
} TensorFunction;

// Does what callbridge.torch._devices._TensorFunction.__init__ does.
static PyObject* TensorFunctionNew(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  PyObject *torch, *operators, *call_any;
  if (!PyArg_ParseTuple(arguments, "OO!O", &torch, &PyDict_Type, &operators, &call_any)) {
    return NULL;
  }
  const State* state = PyType_GetModuleState(type);
  if (state == NULL || AsTorch(state, torch) == NULL) return NULL;
  TensorFunction* function = PyObject_GC_New(TensorFunction, type);
  if (function == NULL) return NULL;
  function->torch = (Torch*)Py_NewRef(torch);
  function->operators = Py_NewRef(operators);
  function->call_any = Py_NewRef(call_any);
  PyObject_GC_Track(function);
  return (PyObject*)function;
}

static int TensorFunctionTraverse(PyObject* self, visitproc visit, void* arg) {
  TensorFunction* function = (TensorFunction*)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(function->operators);
  Py_VISIT(function->call_any);
  return 0;
}

static void TensorFunctionDealloc(PyObject* self) {
  TensorFunction* function = (TensorFunction*)self;
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_DECREF((PyObject*)function->torch);
  Py_DECREF(function->operators);
  Py_DECREF(function->call_any);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

// Returns the operator for operands that are all tensors, outside of transforms; borrowed. Null for
// others, or with an exception set.
static PyObject* FindOperator(const TensorFunction* function, PyObject* operands) {
  const Torch* torch = function->torch;
  const Py_ssize_t count = PyTuple_Size(operands);
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!IsTensor(torch, PyTuple_GetItem(operands, i))) return NULL;
  }
  PyObject* in_transform = PyObject_CallFunctionObjArgs(torch->is_in_transform, NULL);
  if (in_transform == NULL) return NULL;
  Py_DECREF(in_transform);
  if (in_transform != Py_False) return NULL;
  PyObject* key = PyLong_FromSsize_t(count);
  if (key == NULL) return NULL;
  PyObject* found = PyDict_GetItemWithError(function->operators, key);
  Py_DECREF(key);
  return found;
}

static PyObject* TensorFunctionCall(PyObject* self, PyObject* operands) {
  TensorFunction* function = (TensorFunction*)self;
  if (!IsPlainTuple(operands)) return NULL;
  PyObject* found = FindOperator(function, operands);
  if (found != NULL) return PyObject_Call(found, operands, NULL);
  if (PyErr_Occurred()) return NULL;
  return PyObject_CallFunctionObjArgs(function->call_any, operands, NULL);
}

static PyMethodDef tensor_function_methods[] = {
    {"call", TensorFunctionCall, METH_O, "Calls the operator on a tuple of operands."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot tensor_function_slots[] = {
    {Py_tp_doc, "Finds the operator for operands, and calls it."},
    {Py_tp_new, TensorFunctionNew},
    {Py_tp_dealloc, TensorFunctionDealloc},
    {Py_tp_traverse, TensorFunctionTraverse},
    {Py_tp_methods, tensor_function_methods},
    {0, NULL},
};
PyType_Spec tensor_function_spec = {
    .name = "callbridge_python.TensorFunction",
    .basicsize = sizeof(TensorFunction),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = tensor_function_slots,
};
