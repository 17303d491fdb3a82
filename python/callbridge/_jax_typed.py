"""Typed FFI handlers, of any jaxlib's headers, for this JAX.

XLA is given a handler as it is where that runs, and a wrapper of callbridge's elsewhere.
"""

import ctypes
import threading
from typing import Any

import jax
import jaxlib

from callbridge import _c_api
from callbridge._error import CallbridgeError
from callbridge._function_address import capsule_pointer, function_address, make_capsule
from callbridge._jax_paths import JAX_PLATFORM, PATHS
from callbridge._platform import parse_platform

_STAGES = ("instantiate", "prepare", "initialize", "execute", "record")


class _TypeInfo(_c_api.Struct):
    """XLA_FFI_TypeInfo."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


_lock = threading.Lock()
# By name and canonical platform: the addresses by stage, and what keeps them.
_registered: dict[tuple[str, str], tuple[dict[str, int], Any]] = {}


def register(name: str, handlers: Any, platform: str) -> None:
    platform = parse_platform(platform)
    stages = handlers if isinstance(handlers, dict) else {"execute": handlers}
    for stage in stages:
        if stage not in _STAGES:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"target {name!r} has a handler for stage {stage!r}, which is none of "
                f"{', '.join(map(repr, _STAGES))}",
            )
    addresses = {stage: _address(handler) for stage, handler in stages.items()}
    with _lock:
        known, _ = _registered.get((name, platform), (addresses, None))
        if known != addresses:
            raise CallbridgeError(
                "ALREADY_EXISTS",
                f"target {name!r} on {platform} is registered with other handlers, and XLA keeps "
                "one a name for as long as the process lives; register it by another name",
            )
        if (name, platform) in _registered:
            return
        adapted = _adapt(name, addresses, platform)
        jax.ffi.register_ffi_target(
            name,
            adapted if isinstance(handlers, dict) else adapted["execute"],
            platform=JAX_PLATFORM[platform],
            api_version=PATHS["typed"].registration_api_version,
        )
        _registered[name, platform] = addresses, handlers


def register_type(name: str, type_id: Any, type_info: Any) -> None:
    deleter = None
    if type_info is not None:
        deleter = _TypeInfo.from_address(capsule_pointer(type_info)).deleter
    _c_api.type_register(_c_api.text(name, "name"), capsule_pointer(type_id), deleter)


def _address(handler: Any) -> int:
    return handler if isinstance(handler, int) else function_address(handler)


def _adapt(name: str, addresses: dict[str, int], platform: str) -> dict[str, Any]:
    """What XLA is given in the handlers' place: capsules."""
    adapted = _c_api.TypedHandlers()
    try:
        _c_api.typed_handlers_adapt(
            _c_api.TypedHandlers(**addresses),
            platform.encode(),
            jaxlib.__version__.encode(),
            adapted,
        )
    except CallbridgeError as error:
        raise CallbridgeError(
            error.code,
            f"target {name!r} on {platform} was declared abi='typed_ffi': {error.message}",
        ) from None
    return {stage: make_capsule(getattr(adapted, stage)) for stage in addresses}
