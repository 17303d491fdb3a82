#include "callbridge/python/extension/raise.h"

void Raise(const State* state, callbridge_error* error) {
  // A target's message may have any encoding.
  PyObject* raised = PyObject_CallFunction(
      state->error_class, "sN", callbridge_error_code_name(error->code),
      PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)error->message_size, "backslashreplace"));
  callbridge_error_destroy(error);
  if (raised == NULL) return;
  // Its own class: by its code it may be one of a subclass, and pybind11 refuses an error whose
  // type changes when it is normalized.
  PyErr_SetObject((PyObject*)Py_TYPE(raised), raised);
  Py_DECREF(raised);
}
