"""The handlers of the libraries in this folder, one a platform, that the wheel was built with."""

import ctypes
import pathlib

from mypackage._ffi import pycapsule

_FOLDER = pathlib.Path(__file__).parent
_LIBRARIES = {
    platform: ctypes.CDLL(str(_FOLDER / name))
    for platform, name in {"cpu": "handlers.so", "CUDA": "handlers_cuda.so"}.items()
    if (_FOLDER / name).exists()
}


def handlers(symbol):
    """Returns the capsule of a handler for each platform that has it."""
    return {
        platform: pycapsule(getattr(library, symbol)) for platform, library in _LIBRARIES.items()
    }
