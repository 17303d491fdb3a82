"""Types of state and of user data that programs register with JAX, by any of its functions."""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any

from jaxlib import xla_client

from callbridge._core._error import CallbridgeError
from callbridge._core._function_address import capsule_pointer
from callbridge._core._platform import HOST, find_platform
from callbridge._targets import _typed_handlers
from callbridge.resurrect._registration._owners import is_jaxs_or_ours

# The functions of jaxlib's extension module that register a type with XLA:CPU, newest first.
_XLAS_FUNCTIONS = ("register_custom_type", "register_custom_type_id")

_registered: dict[tuple[str, str], int] = {}  # the variable of the id, by name and platform


def register(name: Any, registration: Any, platform: str) -> bool:
    """Registers a type with callbridge, and on CPU with XLA. Returns false to leave it to JAX.

    JAX gives types to XLA when a backend starts, and CPU's handlers before them. XLA refuses a
    handler whose type has no id, so the type gets one now: XLA's on CPU, so that handlers that run
    as they are do so; elsewhere callbridge's.
    """
    known_platform = find_platform(platform)
    try:
        type_id, type_info = _parts(registration)
        variable = capsule_pointer(type_id)
    except (TypeError, KeyError, CallbridgeError):
        return False  # JAX says what is wrong
    if known_platform is None or not isinstance(name, str) or is_jaxs_or_ours(variable):
        return False
    if _registered.get((name, known_platform)) == variable:
        return True  # some XLAs refuse the same again
    if known_platform == HOST:
        for function in _XLAS_FUNCTIONS:
            if hasattr(xla_client._xla, function):
                getattr(xla_client._xla, function)(name, registration)
                break
        # callbridge knows another id by that name where another library registered it first; XLA's
        # own handlers do not need callbridge's.
        with contextlib.suppress(CallbridgeError):
            _typed_handlers.register_type(name, type_id, type_info)
    elif ctypes.c_int64.from_address(variable).value == 0:
        _typed_handlers.register_type(name, type_id, type_info)
    else:
        return False  # it has an id, of another platform's
    _registered[name, known_platform] = variable
    return True


def register_with_callbridge(name: str, registration: Any) -> None:
    """Registers a type whose handlers get a wrapper, since XLA cannot be told of it."""
    _typed_handlers.register_type(name, *_parts(registration))


def _parts(registration: Any) -> tuple[Any, Any]:
    if isinstance(registration, dict):
        return registration["type_id"], registration.get("type_info")
    return registration, None
