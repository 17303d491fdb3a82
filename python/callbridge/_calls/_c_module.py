"""client/callbridge_module.h in ctypes: its functions under their names, less "callbridge_".

They are in libcallbridge_client.so, which needs protobuf: importing this raises ImportError where
it cannot be loaded. A function that reports an error raises CallbridgeError. Calls release the GIL.
"""

from __future__ import annotations

import ctypes
import pathlib
from ctypes import POINTER, c_char_p, c_int32, c_size_t, c_void_p

from callbridge._core import _c_api
from callbridge._core._installation import find_library

_other = _c_api.other_library()
if _other is not None:
    raise ImportError(
        f"{_other} was loaded before {find_library()}, and libcallbridge_client.so, which runs HLO "
        "modules, would call it: import callbridge first, or load one callbridge alone"
    )
_beside = pathlib.Path(find_library())
_path = _beside.with_name(_beside.name.replace("libcallbridge", "libcallbridge_client", 1))
try:
    _library = ctypes.CDLL(str(_path))
except OSError as error:
    raise ImportError(
        f"libcallbridge_client.so, which runs HLO modules, cannot be loaded: {error}; build or "
        "install it beside libcallbridge.so"
    ) from None


def _function(name, result, *parameters):
    function = getattr(_library, "callbridge_" + name)
    function.restype = result
    function.argtypes = parameters
    return function


def _fallible(name, *parameters):
    function = _function(name, POINTER(_c_api.Error), *parameters)
    function.errcheck = _c_api.raise_error
    return function


module_read = _fallible("module_read", c_char_p, c_size_t, POINTER(c_void_p))
module_destroy = _function("module_destroy", None, c_void_p)
program_compile = _fallible(
    "program_compile", c_void_p, POINTER(c_void_p), c_size_t, c_int32, POINTER(c_void_p)
)
program_parameter_count = _function("program_parameter_count", c_size_t, c_void_p)
program_parameter = _function("program_parameter", c_char_p, c_void_p, c_size_t)
program_result = _function("program_result", c_char_p, c_void_p)
program_execute = _fallible(
    "program_execute",
    c_void_p,
    POINTER(_c_api.Array),
    c_size_t,
    POINTER(_c_api.Array),
    c_size_t,
)
