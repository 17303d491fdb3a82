// An extension module that reads the size of an element where NumPy 1 has it, as pybind11 before
// 2.12 does: without NumPy's headers, and without asking which NumPy it finds. NUMPY_CORE is where
// it looks for NumPy's functions.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

// PyArray_Descr of NumPy 1, up to the field that is read.
struct descr_of_numpy_1 {
  PyObject base;
  PyTypeObject* type;
  char kind, letter, byte_order, flags;
  int32_t number;
  int32_t element_size;
};

static PyObject* element_size(PyObject* module, PyObject* dtype) {
  PyObject* core = PyImport_ImportModule(NUMPY_CORE);
  if (core == NULL) return NULL;
  PyObject* functions = PyObject_GetAttrString(core, "_ARRAY_API");
  Py_DECREF(core);
  if (functions == NULL) return NULL;
  Py_DECREF(functions);
  return PyLong_FromLong(((struct descr_of_numpy_1*)dtype)->element_size);
}

static PyMethodDef methods[] = {
    {"element_size", element_size, METH_O, "Of a numpy.dtype, in bytes."},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "numpy_structures", NULL, -1, methods};

PyMODINIT_FUNC PyInit_numpy_structures(void) { return PyModule_Create(&module); }
