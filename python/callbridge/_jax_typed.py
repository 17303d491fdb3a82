"""Typed FFI handlers, of any jaxlib's headers, for this JAX.

XLA is given a handler as it is where that runs, and a wrapper of callbridge's elsewhere. Where XLA
has no FFI, or not enough of it, an untyped function leads to the handler.
"""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Sequence
from typing import Any

import jaxlib

from callbridge import _c_api, _call_site, _jax_attributes
from callbridge._attributes import Attributes
from callbridge._error import CallbridgeError
from callbridge._function_address import capsule_pointer, function_address, make_capsule

_STAGES = ("instantiate", "prepare", "initialize", "execute", "record")


class _TypeInfo(_c_api.Struct):
    """XLA_FFI_TypeInfo."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("extension_start", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


def addresses(name: str, handlers: Any) -> dict[str, int]:
    """By stage. `handlers` is one for EXECUTE, or a dict of one for each stage."""
    stages = handlers if isinstance(handlers, dict) else {"execute": handlers}
    for stage in stages:
        if stage not in _STAGES:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"target {name!r} has a handler for stage {stage!r}, which is none of "
                f"{', '.join(map(repr, _STAGES))}",
            )
    if "execute" not in stages:
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"target {name!r} has no handler for stage 'execute'"
        )
    return {stage: _address(handler) for stage, handler in stages.items()}


def adapt(name: str, platform: str, handlers: dict[str, int]) -> dict[str, Any]:
    """What XLA is to be given in the handlers' place, by stage: capsules."""
    adapted = _c_api.FfiHandlers()
    try:
        _c_api.ffi_adapt_handlers(
            _c_api.FfiHandlers(**handlers),
            platform.encode(),
            jaxlib.__version__.encode(),
            adapted,
        )
    except CallbridgeError as error:
        raise CallbridgeError(
            error.code, f"target {name!r} on {platform}, abi='typed_ffi': {error.message}"
        ) from None
    return {stage: make_capsule(getattr(adapted, stage)) for stage in handlers}


@dataclasses.dataclass(frozen=True)
class VersionThreeConfig:
    """What _jax_ffi_call makes the opaque of, by which version 3 calls a typed handler.

    Of vmap's batches it is another than of one call, since it holds the shapes.
    """

    attributes: tuple  # of names and frozen values

    def opaque_for(self, operands: Sequence, results: Sequence) -> bytes:
        """UNIMPLEMENTED where a dimension is known only at run time."""
        for array in (*operands, *results):
            if not all(isinstance(size, int) for size in array.shape):
                raise CallbridgeError(
                    "UNIMPLEMENTED",
                    f"version 3 cannot call a typed handler on an array of shape {array.shape}, "
                    "since its dimensions must be known when the program is compiled",
                )
        result = results[0] if len(results) == 1 else tuple(results)
        attributes = Attributes(_jax_attributes.thaw(dict(self.attributes)))
        return _call_site.typed_descriptor(tuple(operands), result, attributes)


def register_type(name: str, type_id: Any, type_info: Any) -> None:
    deleter = None
    if type_info is not None:
        deleter = _TypeInfo.from_address(capsule_pointer(type_info)).deleter
    encoded = _c_api.text(name, "name")
    _c_api.ffi_register_type(encoded, len(encoded), capsule_pointer(type_id), deleter)


def _address(handler: Any) -> int:
    return handler if isinstance(handler, int) else function_address(handler)
