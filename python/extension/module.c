// The calls of callbridge.numpy and callbridge.torch in C. Does what
// callbridge/_calls/_python_calls.py and _python_tensor_calls.py do in Python, which are used where
// this module cannot be loaded; both have the same interface and pass the same tests.

#include "callbridge/python/extension/bound_call.h"
#include "callbridge/python/extension/memory.h"
#include "callbridge/python/extension/reading.h"
#include "callbridge/python/extension/stable_abi.h"
#include "callbridge/python/extension/tensor_call.h"
#include "callbridge/python/extension/tensor_function.h"
#include "callbridge/python/extension/tensor_reading.h"

// ---- Caller: the function that custom_call() returns --------------------------------------------

// Has no tp_clear, because calls may come at any time. Cycles go through `prepare` or `bind`, which
// the garbage collector can clear.

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

// Returns the BoundCall for what was read, as a new reference.
static BoundCall* Find(Caller* caller, const Reading* reading, PyObject* operands) {
  PyObject* key = PyBytes_FromStringAndSize(reading->key, (Py_ssize_t)reading->key_size);
  if (key == NULL) return NULL;
  PyObject* bound = Py_XNewRef(PyDict_GetItemWithError(caller->by_form, key));
  if (bound == NULL && !PyErr_Occurred()) {
    bound = PyObject_CallFunctionObjArgs(caller->bind, key, operands, NULL);
    if (bound != NULL && (PyObject*)Py_TYPE(bound) != reading->state->bound_call_type) {
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
    PyErr_SetString(PyExc_TypeError, "expected a plain tuple of operands");
    return NULL;
  }
  const State* state = PyType_GetModuleState(Py_TYPE(self));
  if (state == NULL) return NULL;
  PyObject* prepared = NULL;
  PyObject* result = NULL;
  Reading reading;
  BeginReading(&reading, state);
  int ready = ReadTuple(&reading, operands);
  if (ready == 0) {
    EndReading(&reading);
    BeginReading(&reading, state);
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

static PyObject* AddType(PyObject* module, PyType_Spec* spec, const char* name) {
  PyObject* type = PyType_FromModuleAndSpec(module, spec, NULL);
  if (type != NULL && name != NULL && PyModule_AddObjectRef(module, name, type) < 0) Py_CLEAR(type);
  return type;
}

// callbridge/_calls/_extension.py compares this, since the package loads whatever file is there.
// Change the number of the interface when anything that one uses of the other changes.
static const char kBuild[] = CALLBRIDGE_VERSION ", interface 2";

static int ModuleExec(PyObject* module) {
  if (PyModule_AddStringConstant(module, "BUILD", kBuild) < 0) return -1;
  State* state = PyModule_GetState(module);
  static const struct {
    PyType_Spec* spec;
    const char* name;
  } kTypes[] = {
      {&caller_spec, "Caller"},
      {&tensor_caller_spec, "TensorCaller"},
      {&tensor_function_spec, "TensorFunction"},
  };
  for (size_t i = 0; i < sizeof(kTypes) / sizeof(*kTypes); ++i) {
    PyObject* type = AddType(module, kTypes[i].spec, kTypes[i].name);
    if (type == NULL) return -1;
    Py_DECREF(type);  // the module holds a reference
  }
  const int is_whole =
      (state->memory_type = AddType(module, &memory_spec, NULL)) != NULL &&
      (state->bound_call_type = AddType(module, &bound_call_spec, "BoundCall")) != NULL &&
      (state->bound_tensor_call_type =
           AddType(module, &bound_tensor_call_spec, "BoundTensorCall")) != NULL &&
      (state->torch_type = AddType(module, &torch_spec, "Torch")) != NULL &&
      (state->dtype_name = PyUnicode_InternFromString("dtype")) != NULL &&
      (state->array_struct_name = PyUnicode_InternFromString("__array_struct__")) != NULL &&
      (state->ndarray = Imported("numpy", "ndarray")) != NULL &&
      (state->error_class = Imported("callbridge._core._error", "CallbridgeError")) != NULL &&
      (state->numbers = Imported("callbridge._core._shapes", "NUMBERS")) != NULL;
  return is_whole ? 0 : -1;
}

// Has no m_clear, like Caller: types refer back to the module, and can be cleared.
static int ModuleTraverse(PyObject* module, visitproc visit, void* arg) {
  State* state = PyModule_GetState(module);
  if (state == NULL) return 0;
  Py_VISIT(state->ndarray);
  Py_VISIT(state->error_class);
  Py_VISIT(state->numbers);
  Py_VISIT(state->memory_type);
  Py_VISIT(state->bound_call_type);
  Py_VISIT(state->bound_tensor_call_type);
  Py_VISIT(state->torch_type);
  return 0;
}

static void ModuleFree(void* module) {
  State* state = PyModule_GetState(module);
  if (state == NULL) return;
  Py_XDECREF(state->ndarray);
  Py_XDECREF(state->error_class);
  Py_XDECREF(state->numbers);
  Py_XDECREF(state->memory_type);
  Py_XDECREF(state->bound_call_type);
  Py_XDECREF(state->bound_tensor_call_type);
  Py_XDECREF(state->torch_type);
  Py_XDECREF(state->dtype_name);
  Py_XDECREF(state->array_struct_name);
}

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, ModuleExec},
    {0, NULL},
};
static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "callbridge_python",
    .m_doc = "The calls of callbridge.numpy and callbridge.torch in C.",
    .m_size = sizeof(State),
    .m_slots = module_slots,
    .m_traverse = ModuleTraverse,
    .m_free = ModuleFree,
};

PyMODINIT_FUNC PyInit_callbridge_python(void) { return PyModuleDef_Init(&module_definition); }
