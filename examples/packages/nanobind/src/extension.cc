// The Python module mypackage._extension: the handlers' addresses.
#include <nanobind/nanobind.h>

#include "xla/ffi/api/ffi.h"

XLA_FFI_DECLARE_HANDLER_SYMBOL(ScaledAdd);

namespace nb = nanobind;

NB_MODULE(_extension, m) {
  m.def("ScaledAdd", [] { return nb::capsule(reinterpret_cast<void*>(&ScaledAdd)); });
}
