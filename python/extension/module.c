// callbridge.numpy's calls in C. Does what callbridge/_python_calls.py does in Python, which is
// used where this module cannot be loaded; both have the same interface and pass the same tests.

#include "callbridge/python/extension/bound_call.h"
#include "callbridge/python/extension/memory.h"
#include "callbridge/python/extension/reading.h"
#include "callbridge/python/extension/stable_abi.h"

PyObject* ndarray;
PyObject* error_class;
PyObject* numbers;
PyObject* memory_type;
PyObject* dtype_name;
PyObject* array_struct_name;
static PyObject* bound_call_type;

// ---- Caller: the function that custom_call() returns --------------------------------------------

// It has no tp_clear, so that calls may come at any time: cycles lead through `prepare` or `bind`,
// which the garbage collector can clear.

typedef struct {
  PyObject ob_base;
  PyObject* by_form;  // dict: keys to BoundCall
  PyObject* prepare;
  PyObject* bind;
} Caller;

static PyObject* CallerNew(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  PyObject *by_form, *prepare, *bind;
  if (!PyArg_ParseTuple(arguments, "O!OO", &PyDict_Type, &by_form, &prepare, &bind)) return NULL;
  Caller* caller = PyObject_GC_New(Caller, type);
  if (caller == NULL) return NULL;
  caller->by_form = Py_NewRef(by_form);
  caller->prepare = Py_NewRef(prepare);
  caller->bind = Py_NewRef(bind);
  PyObject_GC_Track(caller);
  return (PyObject*)caller;
}

static int CallerTraverse(PyObject* self, visitproc visit, void* arg) {
  Caller* caller = (Caller*)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(caller->by_form);
  Py_VISIT(caller->prepare);
  Py_VISIT(caller->bind);
  return 0;
}

static void CallerDealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_DECREF(((Caller*)self)->by_form);
  Py_DECREF(((Caller*)self)->prepare);
  Py_DECREF(((Caller*)self)->bind);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

// The BoundCall for what was read: a new reference.
static BoundCall* Find(Caller* caller, const Reading* reading, PyObject* operands) {
  PyObject* key = PyBytes_FromStringAndSize(reading->key, (Py_ssize_t)reading->key_size);
  if (key == NULL) return NULL;
  PyObject* bound = Py_XNewRef(PyDict_GetItemWithError(caller->by_form, key));
  if (bound == NULL && !PyErr_Occurred()) {
    bound = PyObject_CallFunctionObjArgs(caller->bind, key, operands, NULL);
    if (bound != NULL && (PyObject*)Py_TYPE(bound) != bound_call_type) {
      Py_CLEAR(bound);
      PyErr_SetString(PyExc_TypeError, "bind() must return a BoundCall");
    }
  }
  Py_DECREF(key);
  return (BoundCall*)bound;
}

static PyObject* CallerCall(PyObject* self, PyObject* operands) {
  Caller* caller = (Caller*)self;
  if (!PyTuple_CheckExact(operands)) {
    PyErr_SetString(PyExc_TypeError, "expected an exact tuple of operands");
    return NULL;
  }
  PyObject* prepared = NULL;
  PyObject* result = NULL;
  Reading reading;
  BeginReading(&reading);
  int ready = ReadTuple(&reading, operands);
  if (ready == 0) {
    EndReading(&reading);
    BeginReading(&reading);
    prepared = PyObject_CallFunctionObjArgs(caller->prepare, operands, NULL);
    if (prepared == NULL) {
      ready = -1;
    } else if (PyTuple_CheckExact(prepared)) {
      ready = ReadTuple(&reading, prepared);
    }
    if (ready == 0) PyErr_SetString(PyExc_SystemError, "prepare() left an operand unprepared");
  }
  if (ready == 1) {
    BoundCall* bound = Find(caller, &reading, prepared == NULL ? operands : prepared);
    if (bound != NULL) {
      result = CallBound(bound, &reading);
      Py_DECREF(bound);
    }
  }
  EndReading(&reading);
  Py_XDECREF(prepared);
  return result;
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
    {Py_tp_methods, caller_methods},
    {0, NULL},
};
static PyType_Spec caller_spec = {
    .name = "callbridge_python.Caller",
    .basicsize = sizeof(Caller),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = caller_slots,
};

// ---- The module ---------------------------------------------------------------------------------

static PyObject* Imported(const char* module_name, const char* name) {
  PyObject* module = PyImport_ImportModule(module_name);
  if (module == NULL) return NULL;
  PyObject* found = PyObject_GetAttrString(module, name);
  Py_DECREF(module);
  return found;
}

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "callbridge_python",
    .m_doc = "callbridge.numpy's calls in C.",
    .m_size = -1,
};

PyMODINIT_FUNC PyInit_callbridge_python(void) {
  PyObject* module = PyModule_Create(&module_definition);
  PyObject* caller_type = PyType_FromSpec(&caller_spec);
  memory_type = PyType_FromSpec(&memory_spec);
  bound_call_type = PyType_FromSpec(&bound_call_spec);
  dtype_name = PyUnicode_InternFromString("dtype");
  array_struct_name = PyUnicode_InternFromString("__array_struct__");
  if (module == NULL || caller_type == NULL || memory_type == NULL || bound_call_type == NULL ||
      dtype_name == NULL || array_struct_name == NULL ||
      (ndarray = Imported("numpy", "ndarray")) == NULL ||
      (error_class = Imported("callbridge._error", "CallbridgeError")) == NULL ||
      (numbers = Imported("callbridge._element_types", "NUMBERS")) == NULL ||
      PyModule_AddObjectRef(module, "Caller", caller_type) < 0 ||
      PyModule_AddObjectRef(module, "BoundCall", bound_call_type) < 0) {
    return NULL;
  }
  Py_DECREF(caller_type);
  return module;
}
