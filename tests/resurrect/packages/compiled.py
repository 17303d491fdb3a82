"""The compiled part of the packages here: its functions as capsules, made by PyCapsule_New."""

import ctypes
import os

# Of the functions, as JAX called it: "cpu" or "gpu".
PLATFORM = os.environ["OLD_PACKAGE_PLATFORM"]

_library = ctypes.CDLL(os.environ["OLD_PACKAGE_LIBRARY"])
_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def capsule(function):
    address = ctypes.cast(getattr(_library, function), ctypes.c_void_p)
    return _new(address, b"xla._CUSTOM_CALL_TARGET", None)
