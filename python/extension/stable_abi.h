// CPython's stable ABI, of 3.11 and newer.
//
// C and not C++: CPython ends a daemon thread inside Py_END_ALLOW_THREADS when the interpreter
// exits, and no destructor may run then.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_STABLE_ABI_H_
#define CALLBRIDGE_PYTHON_EXTENSION_STABLE_ABI_H_

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

// What the sources share; set once, when the module is imported.
extern PyObject* ndarray;
extern PyObject* error_class;
extern PyObject*
    numbers;  // dict: numpy.dtype, in native byte order, to the number of its element type
extern PyObject* memory_type;
extern PyObject* dtype_name;
extern PyObject* array_struct_name;

#endif  // CALLBRIDGE_PYTHON_EXTENSION_STABLE_ABI_H_
