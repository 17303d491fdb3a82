// An extension module as NumPy wants it: with the headers of whichever NumPy it is built for.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "numpy/arrayobject.h"

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "numpy_imported", NULL, -1, NULL};

PyMODINIT_FUNC PyInit_numpy_imported(void) {
  import_array();
  return PyModule_Create(&module);
}
