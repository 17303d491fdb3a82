"""The registrations of jax.ffi, for releases that lack some, with the newest release's signatures.

What is registered here is registered with callbridge, which adapts handlers of other releases;
where XLA has no FFI, it calls them as version 3.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from typing import Any

import jax
import jaxlib

import callbridge.jax
from callbridge._error import CallbridgeError
from callbridge._jax_runtimes import BATCH_PARTITIONABLE, jax_function_or
from callbridge._function_address import capsule_pointer, keep
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


def register_ffi_type(
    name: str, type_registration: Mapping[str, Any], platform: str = "cpu"
) -> None:
    """Registers a type of state or of user data.

    Args:
      name: the same for all users of the type.
      type_registration: capsules: its "type_id" and, if there is one, its "type_info".
      platform: of the handlers that use it.

    Raises:
      CallbridgeError: as callbridge.jax.register_type(); INVALID_ARGUMENT without a "type_id".
    """
    if find_platform(platform) is None:
        return
    if not isinstance(type_registration, Mapping) or "type_id" not in type_registration:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"type {name!r}: expected a dict with a capsule for 'type_id' and, if there is one, "
            f"for 'type_info', got {type_registration!r}",
        )
    registration = dict(type_registration)
    keep(registration)
    info = registration.get("type_info")
    callbridge.jax.register_type(
        name,
        capsule_pointer(registration["type_id"], "type_id"),
        None if info is None else capsule_pointer(info, "type_info"),
    )


def register_ffi_type_id(name: str, obj: Any, platform: str = "cpu") -> None:
    """Registers a type that has no type info, as register_ffi_type() does."""
    register_ffi_type(name, {"type_id": obj}, platform)


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
