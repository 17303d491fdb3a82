"""The registrations of jax.ffi, for releases that lack some, with the newest release's signatures.

What is registered here is registered with callbridge, which adapts handlers of other releases;
where XLA has no FFI, it calls them as version 3.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

import jax
import jaxlib

from callbridge._error import CallbridgeError
from callbridge._platform import find_platform
from callbridge.resurrect import _registration


def register_ffi_target(
    name: str, fn: Any, platform: str = "cpu", api_version: int = 1, **kwargs: Any
) -> None:
    """Registers a target. Targets of platforms that callbridge cannot call are ignored.

    Args:
      name: by which calls find it.
      fn: a PyCapsule of a handler, or a dict of one for each stage.
      platform: "cpu", "gpu", "CUDA" or "ROCM".
      api_version: 1: a typed handler. 0: an untyped function.
      kwargs: traits, as xla_client.register_custom_call_target() takes them.

    Raises:
      CallbridgeError: as callbridge.jax.register().
    """
    if find_platform(platform) is None:
        return
    _registration.register_custom_call_target(name, fn, platform, api_version, **kwargs)


def register_ffi_target_as_batch_partitionable(name: str) -> None:
    """Raises UNIMPLEMENTED."""
    raise CallbridgeError(
        "UNIMPLEMENTED",
        f"target {name!r} cannot be batch partitionable with jax {jax.__version__}, whose XLA lacks "
        "that; use jax.experimental.custom_partitioning",
    )


def pycapsule(funcptr: Any) -> Any:
    """Returns a capsule of a ctypes function or an address."""
    return _new_capsule(funcptr, None, None)


_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))


def include_dir() -> str:
    """Returns the folder of XLA's headers in jaxlib. Raises UNIMPLEMENTED if jaxlib has none."""
    folder = os.path.join(os.path.dirname(os.path.abspath(jaxlib.__file__)), "include")
    if not os.path.isdir(folder):
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"jaxlib {jaxlib.__version__} has no headers; compile with those of a newer jaxlib, "
            "whose handlers callbridge runs here",
        )
    return folder
