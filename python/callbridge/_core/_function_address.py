"""The addresses of native functions that users pass as Python objects."""

from __future__ import annotations

import ctypes
from typing import Any

from callbridge._core._error import CallbridgeError

_WORDS = {"r": "readable", "w": "writable", "x": "executable"}


def check(address: int, size: int, access: str, what: str) -> None:
    """Raises INVALID_ARGUMENT, which begins with `what`, if using the memory would crash.

    `size` is in bytes; `access` is letters of "rwx". Without /proc, nothing is checked.
    """
    try:
        with open("/proc/self/maps", "rb") as maps:
            regions = maps.readlines()
    except OSError:
        return
    checked = address
    for region in regions:  # by address
        bounds, permissions = region.split(None, 2)[:2]
        start, end = (int(bound, 16) for bound in bounds.split(b"-"))
        if start <= checked < end and all(letter in permissions.decode() for letter in access):
            checked = end
            if checked >= address + size:
                return
    words = " and ".join(_WORDS[letter] for letter in access)
    raise CallbridgeError(
        "INVALID_ARGUMENT", f"{what} is at {address:#x}, where this process has no {words} memory"
    )


# The name of XLA's capsules of custom calls.
CAPSULE_NAME = b"xla._CUSTOM_CALL_TARGET"

# A private copy: ctypes.pythonapi is shared, and jax.ffi.pycapsule sets the types of its functions.
_api = ctypes.PyDLL(None)
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_GetName.argtypes = [ctypes.py_object]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.Py_IncRef.restype = None
_api.Py_IncRef.argtypes = [ctypes.py_object]

_CFuncPtr: Any = ctypes._CFuncPtr  # type: ignore[attr-defined]
_Capsule = type(_api.PyCapsule_New(1, None, None))


def make_capsule(address: int) -> Any:
    return _api.PyCapsule_New(address, CAPSULE_NAME, None)


def keep(function: Any) -> None:
    """Keeps the object as long as the process: daemon threads and objects that end late still call
    it when the interpreter has emptied this package's modules."""
    _api.Py_IncRef(function)


def capsule_pointer(capsule: Any, what: str = "the function") -> int:
    """Returns the pointer in a capsule of any name, or an int as an address.

    Raises TypeError or INVALID_ARGUMENT, which begin with `what`, if it is not an address.
    """
    if isinstance(capsule, _Capsule):
        return _api.PyCapsule_GetPointer(capsule, _api.PyCapsule_GetName(capsule))
    if isinstance(capsule, int) and not isinstance(capsule, bool):
        if not 0 <= capsule < 2**64:
            raise CallbridgeError("INVALID_ARGUMENT", f"{what}: {capsule} is not an address")
        return capsule
    raise TypeError(f"{what}: expected a capsule or an address, got {type(capsule).__name__}")


def is_nameless_capsule(handler: Any) -> bool:
    """As nanobind's capsule(pointer) is, which jaxlib and JAX's FFI tutorial make of handlers."""
    return isinstance(handler, _Capsule) and _api.PyCapsule_GetName(handler) is None


def function_address(function: Any) -> int:
    """Returns the address in a capsule of XLA's or in a ctypes function.

    Raises INVALID_ARGUMENT if the capsule's name says that it holds something else, if the function
    is null, or if there is no code. Keep the object as long as the address is used.
    """
    address = _held_address(function)
    check(address, 1, "x", "the function")
    return address


def _held_address(function: Any) -> int:
    if isinstance(function, _Capsule):
        name = _api.PyCapsule_GetName(function)
        if name != CAPSULE_NAME:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"expected a capsule named {CAPSULE_NAME.decode()!r}, got one named "
                f"{name.decode(errors='backslashreplace') if name else None!r}; what it holds may "
                "be no custom call",
            )
        return _api.PyCapsule_GetPointer(function, CAPSULE_NAME)
    if isinstance(function, _CFuncPtr):
        address = ctypes.cast(function, ctypes.c_void_p).value
        if not address:
            raise CallbridgeError("INVALID_ARGUMENT", "the ctypes function is null")
        return address
    raise TypeError(f"expected a capsule or a ctypes function, got {type(function).__name__}")
