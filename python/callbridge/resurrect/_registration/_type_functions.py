"""Functions that register a type, of JAXs older and newer than this one.

The handlers of such a type are built with headers that this XLA does not run, so they get a wrapper
of callbridge, which alone knows the type.
"""

from __future__ import annotations

from typing import Any

from callbridge.resurrect._registration import _registries, _types


def register_ffi_type(name: str, type_registration: Any, platform: str = "cpu") -> None:
    """jax.ffi.register_ffi_type() of 0.8 and newer.

    Args:
      name: The type's name, the same for all its users.
      type_registration: A dict of capsules: "type_id", and "type_info" if the headers have it.
      platform: Where its handlers are; a type is the same everywhere.
    """
    _types.register_with_callbridge(name, type_registration)
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
