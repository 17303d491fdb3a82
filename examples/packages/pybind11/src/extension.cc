// The Python module mypackage._extension: the handlers' addresses.
#include <pybind11/pybind11.h>

#include "xla/ffi/api/ffi.h"

XLA_FFI_DECLARE_HANDLER_SYMBOL(ScaledAdd);

namespace py = pybind11;

PYBIND11_MODULE(_extension, m) {
  m.def("ScaledAdd", [] { return py::capsule(reinterpret_cast<void*>(&ScaledAdd)); });
}
