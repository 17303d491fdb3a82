"""Programs that test_bad_input.py runs, each in a process of its own: one that crashes, hangs or
ends fails alone. program_server.py starts these processes.

A file of programs decorates each with @program. A program that returns has succeeded.
"""

import ctypes
import pathlib
import re
import sys

import jax
import numpy as np
from callbridge.jax import CallbridgeError, load

F32 = jax.ShapeDtypeStruct((), np.float32)
ONE = np.float32(1)
FOLDER = pathlib.Path(sys.argv[-1])  # of the libraries of tests/jax/targets

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def load_uses():
    return load(FOLDER / "uses.so")


def untold():
    """Functions whose names tell no ABI: plus_one, plus_two, opaque_size, plus_three (typed)."""
    return ctypes.CDLL(str(FOLDER / "untold.so"))


def raised(exceptions, function, *words):
    """That `function` raises one of the exceptions, with all of the words, in any order."""
    try:
        result = function()
    except exceptions as error:
        # Its code chooses a subclass.
        kind = CallbridgeError if isinstance(error, CallbridgeError) else type(error)
        text = f"{kind.__name__}: {error}"
        missing = [word for word in words if not re.search(word, text)]
        assert not missing, f"without {missing}: {text}"
        return
    raise AssertionError(f"no error, but {result!r}")


def refused(code, function, *words):
    raised(CallbridgeError, function, f"CallbridgeError: {code}: ", *words)
