"""Typed FFI handlers, of any jaxlib's headers, as Python objects."""

from __future__ import annotations

import ctypes
from typing import Any

from callbridge._core import _c_api, _function_address
from callbridge._core._error import CallbridgeError
from callbridge._core._function_address import (
    capsule_pointer,
    function_address,
    is_nameless_capsule,
)
from callbridge._core._target import STAGES, Target
from callbridge.typing import Abi, Stage


class _TypeInfo(_c_api.Struct):
    """XLA_FFI_TypeInfo."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


def addresses(name: str, handlers: Any) -> dict[Stage, int]:
    """By stage. `handlers` is one for EXECUTE, or a dict of one for each stage."""
    stages: dict[Any, Any] = handlers if isinstance(handlers, dict) else {"execute": handlers}
    for stage in stages:
        if stage not in STAGES:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"target {name!r} has a handler for stage {stage!r}: expected one of "
                f"{', '.join(map(repr, STAGES))}",
            )
    if "execute" not in stages:
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"target {name!r} has no handler for stage 'execute'"
        )
    return {stage: _address(handler) for stage, handler in stages.items()}


def adapt(
    name: str, platform: str, handlers: dict[Stage, int], release: str | None, traits: int = 0
) -> tuple[dict[Stage, int], int]:
    """Returns the handlers to give a runtime instead of `handlers`, by stage, and their traits.

    The traits are `traits` and what the handlers report themselves. `release` is the runtime's
    release of jaxlib; None: any. Raises INVALID_ARGUMENT if one proves not to be a typed handler,
    and the errors of callbridge_ffi_adapt_handlers (callbridge_ffi.h).
    """
    adapted = _c_api.FfiHandlers()
    try:
        _c_api.ffi_adapt_handlers(
            _c_api.FfiHandlers(**handlers, traits=traits),
            platform.encode(),
            None if release is None else release.encode(),
            adapted,
        )
    except CallbridgeError as error:
        raise CallbridgeError(
            error.code, f"target {name!r} on {platform}, abi='typed_ffi': {error.message}"
        ) from None
    return {stage: getattr(adapted, stage) for stage in handlers}, adapted.traits


def explain_errors(handlers: dict[Stage, int], explanation: str) -> dict[Stage, int]:
    """Returns handlers that do what `handlers` do, by stage, and whose errors end with "; " and the
    explanation. Raises RESOURCE_EXHAUSTED."""
    explained = _c_api.FfiHandlers()
    _c_api.ffi_explain_errors(_c_api.FfiHandlers(**handlers), explanation.encode(), explained)
    return {stage: getattr(explained, stage) for stage in handlers}


def register_type(name: str, type_id: Any, type_info: Any) -> None:
    deleter = None if type_info is None else _deleter(capsule_pointer(type_info, "type_info"))
    encoded = _c_api.text(name, "name")
    variable = capsule_pointer(type_id, "type_id")
    if variable != 0:
        what = "type_id, the variable of an XLA_FFI_TypeId,"
        _check(variable, ctypes.c_int64, "r", what)
        if ctypes.c_int64.from_address(variable).value == 0:
            _check(variable, ctypes.c_int64, "rw", what)  # it gets an id
    _c_api.ffi_register_type(encoded, variable, deleter)


def _deleter(type_info: int) -> int | None:
    what = "type_info, an XLA_FFI_TypeInfo,"
    _check(type_info, ctypes.c_size_t, "r", what)
    size = ctypes.c_size_t.from_address(type_info).value
    if size < ctypes.sizeof(_TypeInfo):
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what} is at {type_info:#x}, where its struct_size is {size}, less than "
            f"{ctypes.sizeof(_TypeInfo)}",
        )
    _check(type_info, _TypeInfo, "r", what)
    deleter = _TypeInfo.from_address(type_info).deleter
    if deleter:
        _function_address.check(deleter, 1, "x", "the deleter in type_info")
    return deleter


def _check(address: int, type_: type, access: str, what: str) -> None:
    _function_address.check(address, ctypes.sizeof(type_), access, what)
    if address % ctypes.alignment(type_) != 0:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what} is at {address:#x}, which is not a multiple of {ctypes.alignment(type_)}",
        )


def _address(handler: Any) -> int:
    if not isinstance(handler, int) and not is_nameless_capsule(handler):
        return function_address(handler)
    address = capsule_pointer(handler)
    _function_address.check(address, 1, "x", "the handler")
    return address


def refuse_as_untyped(target: Target, platform: str, abi: Abi | None) -> None:
    """Raises INVALID_ARGUMENT if the target proves to be a typed handler.

    Asks functions that are only declared, in another process. If that proves nothing, the
    declaration holds.
    """
    if target.abi is not None:
        return
    verdict, evidence = _c_api.probe_typed(target.address)
    if verdict == _c_api.PROBE_TYPED:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"target {target.name!r} on {platform} was declared abi={abi!r}, but is a typed "
            f"handler: {evidence}; declare it abi='typed_ffi'",
        )
