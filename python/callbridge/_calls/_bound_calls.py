"""Calls of the embedded runtime that are bound once for each form of their operands, and made
often."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from callbridge._calls import _python_calls
from callbridge._core import _buffers, _c_api
from callbridge._core._fork_lock import ProcessLock
from callbridge._core._installation import find_library

__all__ = ["CAPACITY", "EXTENSION", "BoundCall", "Caller", "caller", "forms"]

# The number of forms that one function of custom_call() keeps bound.
CAPACITY = 256

_NAME = "callbridge_python"
# CPython's stable ABI; other Pythons have no such suffix.
_SUFFIX = ".abi3.so"
_OLDEST_VERSION = (3, 11)
# Identifies the interface between this package and the module; python/extension/module.c has the
# same number.
_BUILD = f"{_c_api.version().decode()}, interface 3"
_ADVICE = "build it again with libcallbridge.so, or remove it: calls then take longer"


def _load() -> ModuleType | None:
    """Loads the module in C that makes the calls of callbridge.numpy and callbridge.torch.

    Returns None if this Python has no such ABI, if the build made no module for lack of Python's
    headers, or, with a RuntimeWarning, if the module would call another callbridge that this
    process has loaded. Raises ImportError if the module is of another build. The import of _c_api
    loaded the library that the module is linked to.
    """
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


EXTENSION = _load()

if TYPE_CHECKING:
    from callbridge._calls._devices import DeviceArrays
    from callbridge._calls._python_calls import BoundCall, Caller
else:
    _classes = _python_calls if EXTENSION is None else EXTENSION
    BoundCall, Caller = _classes.BoundCall, _classes.Caller


def caller(
    bind: Callable[[tuple], Any], kind: DeviceArrays | None = None
) -> Callable[[tuple], Any]:
    """A function that calls a target on a tuple of operands, bound to the forms that come.

    It is thread-safe as far as the target is.

    Args:
      bind: returns a BoundCall of NumPy arrays; with a kind a _python_calls.BoundCall of that.
    """
    by_form, bind_new = forms(bind)
    if kind is not None:
        return _python_calls.Caller(by_form, kind.prepare, bind_new).call
    return Caller(by_form, _buffers.arrays, bind_new).call


def forms(bind: Callable[[tuple], Any]) -> tuple[dict[Any, Any], Callable[[Any, tuple], Any]]:
    """The bound calls by the keys of their forms, and what binds one for a key that is not there.

    A form that was not called for longest is dropped where there are more than CAPACITY; calls that
    it is in are finished first, and when it comes again it is bound again.
    """
    by_form: dict[Any, Any] = {}
    # A target may call the function while it is bound.
    lock = ProcessLock()

    def bind_new(key: Any, operands: tuple) -> Any:
        with lock:
            found = by_form.get(key)
            if found is None:
                found = bind(operands)
                # Calls that found it before hold a reference.
                while len(by_form) >= CAPACITY:
                    oldest, _ = min(list(by_form.items()), key=lambda item: item[1].last_use)
                    by_form.pop(oldest, None)  # a signal handler may have removed it
                by_form[key] = found
            return found

    return by_form, bind_new
