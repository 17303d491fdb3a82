"""Warns of extension modules that were built for NumPy 1, under NumPy 2.

NumPy 2 moved fields of the structure that describes a type of elements (PyArray_Descr), so machine
code that reads them where NumPy 1 has them gets other values: 0 for the size of an element. NumPy's
own import_array() refuses such a module. pybind11 before 2.12 reads those fields, and asks nobody.

What uses NumPy's functions gets them by the name _ARRAY_API from a module of numpy.core, or of
numpy._core, which NumPy 2 has: all that is built for NumPy 2 looks for that too, since it runs on
both. (So did all files of 19 wheels for NumPy 2, and none of 15 for NumPy 1.)
"""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import mmap
import os
import re
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

_FUNCTIONS, _OF_NUMPY_1, _OF_NUMPY_2 = b"_ARRAY_API", b"numpy.core", b"numpy._core"
# What JAX itself needs, which would not be there if it did not suit this NumPy.
_OF_JAX = {"jaxlib", "ml_dtypes", "numpy", "scipy"}
_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep + "lib-dynload" + os.sep


def is_for_numpy_1(path: str) -> bool:
    """Returns whether the library uses NumPy's functions and looks for them in NumPy 1 alone."""
    try:
        with (
            open(path, "rb") as file,
            mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content,
        ):
            return content.find(_FUNCTIONS) >= 0 and (
                content.find(_OF_NUMPY_1) >= 0 and content.find(_OF_NUMPY_2) < 0
            )
    except (OSError, ValueError):  # no file, or an empty one: who imports it says so
        return False


def watch() -> Callable[[], None]:
    """Warns of the extension modules that are imported, and that are from now on. Returns the
    function that ends this."""
    loader: Any = importlib.machinery.ExtensionFileLoader
    create_module = loader.create_module
    if np.lib.NumpyVersion(importlib.metadata.version("numpy")).major < 2:
        return lambda: None
    for name, module in list(sys.modules.items()):
        spec: Any = getattr(module, "__spec__", None)
        if isinstance(getattr(spec, "loader", None), loader):
            _check(name, spec.origin, stacklevel=5)  # where callbridge.resurrect is imported

    def checked(self: Any, spec: Any) -> Any:
        _check(self.name, self.path, stacklevel=3)  # the line that imports it
        return create_module(self, spec)

    loader.create_module = checked

    def leave() -> None:
        loader.create_module = create_module

    return leave


def _check(name: str, path: str | None, stacklevel: int) -> None:
    if path is None or name.partition(".")[0] in _OF_JAX or path.startswith(_STANDARD_LIBRARY):
        return
    if is_for_numpy_1(path):
        warnings.warn(
            f"{path} was built for NumPy 1, and this is NumPy {np.__version__}: it may read types "
            "and sizes of arrays wrong, and give wrong values without an error. Install a release "
            f"of it that was built for NumPy 2, or build it again; or {_numpy_1()}",
            RuntimeWarning,
            stacklevel=stacklevel,
        )


def _numpy_1() -> str:
    """How to run it with NumPy 1."""
    release = importlib.metadata.version("jax")
    for requirement in importlib.metadata.requires("jax") or ():
        found = re.match(r"numpy\W*>=\s*(\d+)", requirement)
        if found and int(found[1]) >= 2:
            return f"take NumPy 1 and an older JAX, since jax {release} needs NumPy {found[1]}"
    return "take NumPy 1: pip install 'numpy<2'"
