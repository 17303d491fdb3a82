"""c_api/callbridge.h, callbridge_device.h, callbridge_ffi.h and callbridge_operator_info.h in
ctypes: their structs and functions under their names, less "callbridge_".

A function that reports an error raises CallbridgeError. Calls release the GIL.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_void_p

from callbridge import __version__
from callbridge._core._error import CallbridgeError, check_text
from callbridge._core._installation import SONAME, VARIABLE, explain_load_failure, find_library
from callbridge._core._library_files import library_at

PROBE_TYPED, PROBE_NOT_TYPED = 1, 2  # CALLBRIDGE_PROBE_TYPED, ...

# CALLBRIDGE_ATTRIBUTE_*
ATTRIBUTE_ARRAY = 1
ATTRIBUTE_DICTIONARY = 2
ATTRIBUTE_SCALAR = 3
ATTRIBUTE_STRING = 4

TRAIT_COMMAND_BUFFER_COMPATIBLE = 1  # CALLBRIDGE_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE

# CALLBRIDGE_PROVIDES_*
PROVIDES_OPAQUE = 2
PROVIDES_TUPLES = 8
PROVIDES_COUNTS = 16
PROVIDES_ATTRIBUTES = 64

# ---- Structs ------------------------------------------------------------------------------------


class Struct(ctypes.Structure):
    """A struct that begins with struct_size, and sets it. Keeps alive what it points to."""

    def __init__(self, **fields):
        super().__init__(struct_size=ctypes.sizeof(self), **fields)


class Error(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("code", c_int32),
        ("message", c_void_p),
        ("message_size", c_size_t),
    ]


class Target(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("platform", c_char_p),
        ("api_version", c_int32),
        ("api_version_is_proved", c_int32),
        ("address", c_void_p),
        ("evidence", c_char_p),
        ("instantiate", c_void_p),
        ("prepare", c_void_p),
        ("initialize", c_void_p),
        ("record", c_void_p),
        ("command_buffer_compatible", c_int32),
        ("content", c_char_p),
    ]


class TargetAbi(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("api_version", c_int32),
        ("called_as", c_int32),
        ("provides", c_uint32),
        ("serves_unspecified", c_int32),
        ("name", c_char_p),
        ("enumerator", c_char_p),
    ]


class Site(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("tuple_layout", c_int32),
        ("operands", POINTER(c_char_p)),
        ("operand_count", c_size_t),
        ("result", c_char_p),
        ("opaque", c_char_p),
        ("opaque_size", c_size_t),
        ("attributes", c_void_p),
        ("release", c_char_p),
        ("operator_info", c_void_p),
        ("scratch_bytes", c_int64),
    ]


class Array(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("size_bytes", c_size_t)]


class FfiScratch(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("user", c_void_p),
        ("allocate", c_void_p),
        ("free", c_void_p),
    ]


class RuntimeServices(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("stream", c_void_p),
        ("device_ordinal", c_void_p),
        ("run_id", c_void_p),
        ("thread_pool", c_void_p),
        ("scratch", POINTER(FfiScratch)),
        ("user_data_types", c_void_p),
        ("user_data", c_void_p),
        ("user_data_count", c_size_t),
        ("custom_options", c_void_p),
        ("extensions", c_void_p),
    ]


class ExecutionContext(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("stream", c_void_p),
        ("services", POINTER(RuntimeServices)),
        ("as_xla_cpu", c_int32),
        ("keeps_floating_point", c_int64),
        ("device", c_void_p),
        ("synchronizes", c_int64),
    ]


class EntryPoints(Struct):
    _fields_ = [("struct_size", c_size_t), ("untyped", c_void_p), ("typed", c_void_p)]


class Dimensions(ctypes.Structure):
    _fields_ = [("sizes", POINTER(c_int64)), ("count", c_size_t)]


class FfiHandlers(Struct):
    _fields_ = [
        ("struct_size", c_size_t),
        ("instantiate", c_void_p),
        ("prepare", c_void_p),
        ("initialize", c_void_p),
        ("execute", c_void_p),
        ("record", c_void_p),
        ("traits", c_uint32),
    ]


# ---- Functions ----------------------------------------------------------------------------------

DimensionsVisitor = ctypes.CFUNCTYPE(None, c_void_p, POINTER(Dimensions))
ShapeVisitor = ctypes.CFUNCTYPE(None, c_void_p, c_int32, POINTER(c_int64), c_size_t, c_int64)
AttributeVisitor = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_int32, c_int32, c_void_p, c_size_t)

_path = find_library()
try:
    _library = ctypes.CDLL(_path)
except OSError as error:
    raise ImportError(explain_load_failure(_path, error)) from None


def _function(name, result, *parameters):
    try:
        function = getattr(_library, "callbridge_" + name)
    except AttributeError:
        what = "" if name == "version" else f"is libcallbridge {version().decode()} and "
        raise ImportError(
            f"{_path} {what}has no function callbridge_{name}, and this Python package is of "
            f"{__version__}; set {VARIABLE} to the path of one of this version, or unset it to use "
            "the installed one"
        ) from None
    function.restype = result
    function.argtypes = parameters
    return function


version = _function("version", c_char_p)


def other_library():
    """Returns the path of a second callbridge that was loaded before this one, or None.

    The dynamic linker binds what needs libcallbridge.so to the first of that name.
    """
    try:
        first = ctypes.CDLL(SONAME, os.RTLD_NOLOAD)
    except OSError:  # this one has another name
        return None
    if first._handle == _library._handle:
        return None
    address = ctypes.cast(first.callbridge_version, c_void_p).value or 0
    return os.fsdecode(library_at(address) or SONAME)


_error_code_name = _function("error_code_name", c_char_p, c_int32)
_error_destroy = _function("error_destroy", None, POINTER(Error))


def raise_error(error, _function, _arguments):
    """Raises the error that a function of the C API returned, if any: for ctypes' errcheck."""
    if not error:
        return
    try:
        code = _error_code_name(error.contents.code).decode()
        # Targets write their own messages, in any encoding.
        message = ctypes.string_at(error.contents.message, error.contents.message_size)
        raise CallbridgeError(code, message.decode(errors="backslashreplace"))
    finally:
        _error_destroy(error)


def _fallible(name, *parameters):
    function = _function(name, POINTER(Error), *parameters)
    function.errcheck = raise_error
    return function


library_load = _fallible("library_load", c_char_p, POINTER(c_void_p))
library_load_isolated = _fallible("library_load_isolated", c_char_p, POINTER(c_void_p))
library_target_count = _function("library_target_count", c_size_t, c_void_p)
library_target = _fallible("library_target", c_void_p, c_size_t, POINTER(Target))
target_abi_count = _function("target_abi_count", c_size_t)
target_abi_at = _fallible("target_abi_at", c_size_t, c_char_p, POINTER(TargetAbi))
shape_visit = _fallible("shape_visit", c_char_p, ShapeVisitor, c_void_p)
site_encode = _fallible("site_encode", POINTER(Site), POINTER(c_void_p), POINTER(c_size_t))
bytes_free = _function("bytes_free", None, c_void_p)
infer_dimensions = _fallible(
    "infer_dimensions",
    POINTER(Target),
    c_void_p,
    POINTER(Dimensions),
    c_size_t,
    c_size_t,
    DimensionsVisitor,
    c_void_p,
)
infer_scratch_bytes = _fallible(
    "infer_scratch_bytes", POINTER(Target), POINTER(Site), POINTER(c_int64)
)
execute = _fallible(
    "execute",
    POINTER(Target),
    POINTER(Site),
    POINTER(Array),
    c_size_t,
    POINTER(Array),
    c_size_t,
    POINTER(ExecutionContext),
)
call_bind = _fallible(
    "call_bind", POINTER(Target), POINTER(Site), POINTER(ExecutionContext), POINTER(c_void_p)
)
call_destroy = _function("call_destroy", None, c_void_p)
call_execute = _fallible(
    "call_execute",
    c_void_p,
    POINTER(c_void_p),
    c_size_t,
    POINTER(c_void_p),
    c_size_t,
    POINTER(ExecutionContext),
)
device_open = _fallible("device_open", c_int32, POINTER(c_void_p))
device_stream = _function("device_stream", c_void_p, c_void_p)
device_synchronize = _fallible("device_synchronize", c_void_p)
device_synchronize_stream = _fallible("device_synchronize_stream", c_void_p, c_void_p)
device_allocate = _fallible("device_allocate", c_void_p, c_size_t, POINTER(c_void_p))
_device_free = _function("device_free", POINTER(Error), c_void_p, c_void_p)
device_copy_in = _fallible("device_copy_in", c_void_p, c_void_p, c_void_p, c_size_t)
device_copy_out = _fallible("device_copy_out", c_void_p, c_void_p, c_void_p, c_size_t)
device_copy = _fallible("device_copy", c_void_p, c_void_p, c_void_p, c_size_t)
device_check_pointer = _fallible("device_check_pointer", c_void_p, c_void_p)
device_check_stream = _fallible("device_check_stream", c_void_p, c_void_p)
target_entry_points = _fallible("target_entry_points", POINTER(Target), POINTER(EntryPoints))
register_with_loaded_xla = _fallible(
    "register_with_loaded_xla", c_char_p, c_char_p, c_char_p, c_void_p
)
_probe_typed = _fallible("probe_typed", c_void_p, POINTER(c_int32), POINTER(c_void_p))
ffi_adapt_handlers = _fallible(
    "ffi_adapt_handlers", POINTER(FfiHandlers), c_char_p, c_char_p, POINTER(FfiHandlers)
)
ffi_explain_errors = _fallible(
    "ffi_explain_errors", POINTER(FfiHandlers), c_char_p, POINTER(FfiHandlers)
)
ffi_register_with_loaded_xla = _fallible(
    "ffi_register_with_loaded_xla", c_char_p, c_char_p, c_char_p, POINTER(FfiHandlers)
)
ffi_attributes_create = _fallible("ffi_attributes_create", POINTER(c_void_p))
ffi_attributes_destroy = _function("ffi_attributes_destroy", None, c_void_p)
ffi_attributes_set_scalar = _fallible(
    "ffi_attributes_set_scalar", c_void_p, c_char_p, c_int32, c_void_p
)
ffi_attributes_set_array = _fallible(
    "ffi_attributes_set_array", c_void_p, c_char_p, c_int32, c_void_p, c_size_t
)
ffi_attributes_set_string = _fallible(
    "ffi_attributes_set_string", c_void_p, c_char_p, c_char_p, c_size_t
)
ffi_attributes_set_dictionary = _fallible(
    "ffi_attributes_set_dictionary", c_void_p, c_char_p, c_void_p
)
operator_info_create = _fallible("operator_info_create", c_char_p, c_size_t, POINTER(c_void_p))
operator_info_destroy = _function("operator_info_destroy", None, c_void_p)
operator_info_check = _fallible("operator_info_check", POINTER(Target), POINTER(Site))
operator_info_visit_defaults = _fallible(
    "operator_info_visit_defaults", c_void_p, AttributeVisitor, c_void_p
)
ffi_register_type = _fallible("ffi_register_type", c_char_p, c_void_p, c_void_p)
_inspect = _fallible("inspect", c_char_p, c_int32, POINTER(c_void_p))
_ffi_runtime_versions = _fallible("ffi_runtime_versions", POINTER(c_void_p))


def probe_typed(address: int) -> tuple[int, str]:
    """Returns the verdict, CALLBRIDGE_PROBE_*, and its evidence."""
    verdict, evidence = c_int32(), c_void_p()
    _probe_typed(address, verdict, evidence)
    return verdict.value, _taken(evidence)


def inspect(path: str, probes: bool) -> str:
    """Returns what the file is and which custom calls it has, as JSON."""
    json = c_void_p()
    _inspect(text(path, "path"), probes, json)
    return _taken(json)


def ffi_runtime_versions() -> str:
    """Returns which XLA FFI the releases of jaxlib have, as JSON."""
    json = c_void_p()
    _ffi_runtime_versions(json)
    return _taken(json)


def _taken(owned: c_void_p) -> str:
    try:
        return ctypes.string_at(owned).decode(errors="backslashreplace")
    finally:
        bytes_free(owned)


# Default arguments, since modules are emptied before their last objects are destroyed.
def device_free_quietly(device: int, data: int, free=_device_free, destroy=_error_destroy) -> None:
    """Frees memory, and drops an error: a lost context's memory is gone already."""
    destroy(free(device, data))


def text(value: str, what: str) -> bytes:
    """Returns `value` as a C string. `what` names it in errors."""
    check_text(value, what)
    try:
        encoded = value.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what} {value!r}: expected a text without NULs and halves of characters",
        )
    return encoded


# ---- Objects of the C API that Python owns -------------------------------------------------------

# A private copy, since ctypes.pythonapi is shared.
untrack = ctypes.PyDLL(None).PyObject_GC_UnTrack
untrack.restype = None
untrack.argtypes = [ctypes.py_object]


class _Handle(int):
    """The address of an object, which is destroyed with the last reference to its handle.

    The garbage collector must not know it. Of a cycle of references that ends, the collector calls
    the callbacks of weak references first, weakref.finalize's included, and then all __del__
    methods, in any order: so either would destroy an object that other __del__ methods still use.
    weakref.finalize also destroys at exit what threads and other functions still use.
    """

    __slots__ = ()

    def __new__(cls, address: int):
        handle = super().__new__(cls, address)
        untrack(handle)
        return handle

    def __reduce__(self):  # for copy.copy() too
        raise TypeError(
            f"{type(self).__name__} is an address of this process and cannot be pickled"
        )


class CallHandle(_Handle):
    __slots__ = ()

    # A default argument, since modules are emptied before their last objects are destroyed.
    def __del__(self, destroy: Callable = call_destroy):
        destroy(self)


class AttributesHandle(_Handle):
    __slots__ = ()

    def __del__(self, destroy: Callable = ffi_attributes_destroy):
        destroy(self)


class OperatorInfoHandle(_Handle):
    __slots__ = ()

    def __del__(self, destroy: Callable = operator_info_destroy):
        destroy(self)


def bind(target: Target, site: Site, context: ExecutionContext | None = None) -> CallHandle:
    address = ctypes.c_void_p()
    call_bind(target, site, context, ctypes.byref(address))
    assert address.value is not None
    return CallHandle(address.value)


def make_attributes() -> AttributesHandle:
    """Returns an empty dictionary."""
    address = ctypes.c_void_p()
    ffi_attributes_create(ctypes.byref(address))
    assert address.value is not None
    return AttributesHandle(address.value)


def make_operator_info(json: bytes) -> OperatorInfoHandle:
    address = ctypes.c_void_p()
    operator_info_create(json, len(json), ctypes.byref(address))
    assert address.value is not None
    return OperatorInfoHandle(address.value)
