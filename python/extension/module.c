// The calls of callbridge.numpy and callbridge.torch in C. Does what
// callbridge/_calls/_python_calls.py and torch/_devices.py do in Python, which are used where this
// module cannot be loaded; both have the same interface and pass the same tests.

#include "callbridge/python/extension/module.h"

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

// callbridge/_calls/_bound_calls.py compares this, since the package loads whatever file is there.
// Change the number of the interface when anything that one uses of the other changes.
static const char kBuild[] = CALLBRIDGE_VERSION ", interface 3";

static int ModuleExec(PyObject* module) {
  if (PyModule_AddStringConstant(module, "BUILD", kBuild) < 0) return -1;
  State* state = PyModule_GetState(module);
  static const struct {
    PyType_Spec* spec;
    const char* name;
  } kTypes[] = {
      {&caller_spec, "Caller"},
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
