"""The legacy_backend_config and the attributes that ffi_call() is given for a call, and how much
scratch memory they say."""

from __future__ import annotations

import operator
from typing import Any

from callbridge._core import _call_site, _target
from callbridge._core._error import HOST, CallbridgeError
from callbridge._targets._registry import Entry
from callbridge.jax import _frozen_attributes
from callbridge.jax._handlers import VersionThreeConfig, WorkspacesOf


def for_typed_handler(path: str, attributes: dict, scratch: int | WorkspacesOf) -> tuple[Any, dict]:
    """Returns both for a call of a typed handler. By the path "typed" XLA has scratch memory, or
    none can be had."""
    if path == "typed":
        return None, attributes
    return VersionThreeConfig(tuple(sorted(attributes.items())), scratch), {}


def for_untyped_function(
    entry: Entry, path: str, operands: tuple, result: Any, tuple_layout: str, opaque: bytes
) -> tuple[bytes | None, dict]:
    """Returns both for a call of an untyped target, with a site descriptor if it needs one."""
    descriptor = None
    abi = entry.platform, entry.abi
    if _call_site.needs_descriptor(
        operands,
        result,
        tuple_layout,
        opaque,
        path,
        takes_tuples=_target.takes_tuples(*abi),
        reads_opaque=_target.reads_opaque(*abi),
        counts_buffers=_target.counts_buffers(*abi),
    ):
        descriptor = _call_site.descriptor(operands, result, tuple_layout, opaque)
    if path == "version_3":
        return (opaque if descriptor is None else descriptor), {}
    if descriptor is None:
        return None, {}
    return None, _frozen_attributes.freeze({_call_site.DESCRIPTOR_ATTRIBUTE: descriptor})


# ---- Scratch memory of typed handlers that XLA has none for: how much a call gives them ----------


def checked_scratch(scratch_bytes: Any, entry: Entry) -> int | WorkspacesOf:
    """Returns the bytes, or the operator that says how many; on the CPU its workspaces are on the
    heap.

    Raises TypeError for anything but an integer or None; INVALID_ARGUMENT if it is negative or no
    array has so many bytes, and for an untyped target.
    """
    if scratch_bytes is None:
        if entry.platform == HOST or not (c_target := entry.c_target).content:
            return 0
        return WorkspacesOf(entry.target.name, entry.platform, c_target)
    if isinstance(scratch_bytes, bool):
        raise TypeError("scratch_bytes: expected an int, got bool")
    try:
        size = operator.index(scratch_bytes)
    except TypeError:
        raise TypeError(
            f"scratch_bytes: expected an int, got {type(scratch_bytes).__name__}"
        ) from None
    if not 0 <= size < 2**63:
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"scratch_bytes: expected 0 to 2**63 - 1 bytes, got {size}"
        )
    if size and entry.abi != "typed_ffi":
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"scratch_bytes: target {entry.target.name!r} is untyped ({entry.abi}), and asks for "
            "no scratch memory; pass it an operand or a result more",
        )
    return size
