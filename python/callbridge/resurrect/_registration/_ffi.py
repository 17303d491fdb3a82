"""The registrations of jax.ffi, for releases that lack some, with the newest release's signatures.

Typed handlers are registered with callbridge, which adapts those of other releases; where XLA has
no FFI, it calls them as version 3. Untyped functions are given to XLA as they are.

The handlers of a type that this JAX cannot register are built with headers that this XLA does not
run, so they get a wrapper of callbridge, which alone knows the type.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

import jax
import jaxlib
from jaxlib import xla_client

from callbridge._core._error import CallbridgeError
from callbridge.jax._runtimes import BATCH_PARTITIONABLE, jax_function_or
from callbridge.resurrect._registration import _registries, _untyped

# ---- Targets -------------------------------------------------------------------------------------


def register_ffi_target(
    name: str, fn: Any, platform: str = "cpu", api_version: int = 1, **kwargs: Any
) -> None:
    """Registers a target.

    Args:
      name: by which calls find it.
      fn: a PyCapsule of a handler, or a dict of one for each stage.
      platform: "cpu", "gpu", "CUDA" or "ROCM". Any other is JAX's own affair.
      api_version: 1: a typed handler. 0: an untyped function, which calls of its version reach
        after revived() has ended, too.
      kwargs: traits, as xla_client.register_custom_call_target() takes them.

    Raises:
      CallbridgeError: as callbridge.jax.register().
    """
    if api_version == _untyped.UNTYPED:
        xla_client.register_custom_call_target(name, fn, platform, **kwargs)
    else:
        _untyped.register_custom_call_target(name, fn, platform, api_version, **kwargs)


def register_ffi_target_as_batch_partitionable(name: str) -> None:
    """Registers a target whose calls XLA may split along leading batch dimensions.

    Raises UNIMPLEMENTED if XLA has no such registration.
    """
    register = jax_function_or(BATCH_PARTITIONABLE, None)
    if register is None:
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"target {name!r} cannot be batch partitionable, since the XLA of jax "
            f"{jax.__version__} has no such registration; use callbridge.jax.custom_call(..., "
            "batch_dims=n), or jax.experimental.custom_partitioning",
        )
    register(name)


# ---- Types, by the functions of JAXs older and newer than this one -------------------------------


def register_ffi_type(name: str, type_registration: Any, platform: str = "cpu") -> None:
    """jax.ffi.register_ffi_type() of 0.8 and newer.

    Args:
      name: The type's name, the same for all its users.
      type_registration: A dict of capsules: "type_id", and "type_info" if the headers have it.
      platform: Where its handlers are; a type is the same everywhere.
    """
    _registries.register_with_callbridge(name, type_registration)
    _registries.retry_pending()


def register_ffi_type_id(name: str, obj: Any, platform: str = "cpu") -> None:
    """jax.ffi.register_ffi_type_id() up to 0.7: the type's deleter comes with each object."""
    register_ffi_type(name, obj, platform)


def register_custom_type(type_name: str, type_id: Any, platform: str = "cpu") -> None:
    """jaxlib.xla_client's of 0.8 and newer."""
    register_ffi_type(type_name, type_id, platform)


def register_custom_type_id(type_name: str, type_id: Any, platform: str = "cpu") -> None:
    """jaxlib.xla_client's of 0.4.38 to 0.7."""
    register_ffi_type(type_name, type_id, platform)


def is_here(module: Any, name: str) -> bool:
    """Returns whether a module has one of these functions by that name."""
    return getattr(getattr(module, name, None), "__module__", None) == __name__


# ---- Capsules and headers ------------------------------------------------------------------------


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
