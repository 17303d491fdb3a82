#include "callbridge/python/extension/tensor_function.h"

#include "callbridge/python/extension/tensor_reading.h"

// Has no tp_clear, because calls may come at any time.
typedef struct {
  PyObject ob_base;
  Torch* torch;
  PyObject* operators;  // dict: numbers of operands to what torch calls
  PyObject* call_any;
} TensorFunction;

static PyObject* TensorFunctionNew(PyTypeObject* type, PyObject* arguments, PyObject* keywords) {
  (void)keywords;
  PyObject *torch, *operators, *call_any;
  if (!PyArg_ParseTuple(arguments, "OO!O", &torch, &PyDict_Type, &operators, &call_any)) {
    return NULL;
  }
  const State* state = PyType_GetModuleState(type);
  if (state == NULL) return NULL;
  if ((PyObject*)Py_TYPE(torch) != state->torch_type) {
    PyErr_SetString(PyExc_TypeError, "expected a Torch");
    return NULL;
  }
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
    PyObject* type = (PyObject*)Py_TYPE(PyTuple_GetItem(operands, i));
    if (type != torch->tensor_type && type != torch->parameter_type) return NULL;
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
  if (!PyTuple_CheckExact(operands)) {
    PyErr_SetString(PyExc_TypeError, "expected a plain tuple of operands");
    return NULL;
  }
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
