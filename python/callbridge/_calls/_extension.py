"""Loads the C module that makes the calls of callbridge.numpy and callbridge.torch."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import warnings
from types import ModuleType

from callbridge._core import _c_api  # loads the library that the module is linked to
from callbridge._core._installation import find_library

_NAME = "callbridge_python"
# CPython's stable ABI; other Pythons have no such suffix.
_SUFFIX = ".abi3.so"
_OLDEST_VERSION = (3, 11)
# Identifies the interface between this package and the module; python/extension/module.c has the
# same number.
_BUILD = f"{_c_api.version().decode()}, interface 3"
_ADVICE = "build it again with libcallbridge.so, or remove it: calls then take longer"


def _load() -> ModuleType | None:
    """Returns None if this Python has no such ABI, if the build made no module for lack of Python's
    headers, or, with a RuntimeWarning, if the module would call another callbridge that this
    process has loaded. Raises ImportError if the module is of another build."""
    path = os.path.join(os.path.dirname(find_library()), _NAME + _SUFFIX)
    is_loadable = (
        _SUFFIX in importlib.machinery.EXTENSION_SUFFIXES and sys.version_info >= _OLDEST_VERSION
    )
    if not is_loadable or not os.path.exists(path):
        return None
    other = _c_api.other_library()
    if other is not None:
        warnings.warn(
            f"{other} was loaded before {find_library()}, and {_NAME} would call it: calls go by "
            "ctypes and take longer; import callbridge first, or load one callbridge alone",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    loader = importlib.machinery.ExtensionFileLoader(_NAME, path)
    spec = importlib.util.spec_from_loader(_NAME, loader)
    assert spec is not None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except (AttributeError, ImportError) as error:
        raise ImportError(f"{path} cannot be loaded: {error}; {_ADVICE}") from None
    build = getattr(module, "BUILD", "unknown")
    if build != _BUILD:
        raise ImportError(
            f"{path} is of another build: expected {_BUILD}, found {build}; {_ADVICE}"
        )
    return module


MODULE = _load()
