// CPython's stable ABI, of 3.11 and newer, and what all files of the module share.
//
// C and not C++: CPython ends a daemon thread inside Py_END_ALLOW_THREADS when the interpreter
// exits, and no destructor may run then.

#ifndef CALLBRIDGE_PYTHON_EXTENSION_MODULE_H_
#define CALLBRIDGE_PYTHON_EXTENSION_MODULE_H_

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

// The state of a module, which lives as long as objects of its types. A package that is imported
// again has a module of its own, because its CallbridgeError is another class.
typedef struct {
  PyObject* ndarray;
  PyObject* error_class;
  PyObject* numbers;  // dict: numpy.dtype in native byte order -> the number of its element type
  PyObject* memory_type;
  PyObject* bound_call_type;
  PyObject* torch_type;
  PyObject* dtype_name;
  PyObject* array_struct_name;
} State;

// The types of the module: of an array's memory, and as callbridge._calls._python_calls and
// callbridge.torch._devices have them.
extern PyType_Spec memory_spec;           // arrays.c
extern PyType_Spec bound_call_spec;       // bound_call.c
extern PyType_Spec caller_spec;           // caller.c
extern PyType_Spec tensor_function_spec;  // caller.c
extern PyType_Spec torch_spec;            // tensors.c

#endif  // CALLBRIDGE_PYTHON_EXTENSION_MODULE_H_
