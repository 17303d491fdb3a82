"""The handlers of the library in this folder. It is no extension module, but of any Python."""

import ctypes
import pathlib

from mypackage._ffi import pycapsule

_LIBRARY = ctypes.CDLL(str(pathlib.Path(__file__).with_name("handlers.so")))


def handlers(symbol):
    """Returns the capsule of a handler for each platform that has it."""
    return {"cpu": pycapsule(getattr(_LIBRARY, symbol))}
