"""Scratch memory of typed handlers that XLA has none for: how much a call gives them."""

from __future__ import annotations

import operator
from typing import Any

from callbridge._error import CallbridgeError
from callbridge._jax_typed_handlers import WorkspacesOf
from callbridge._platform import HOST
from callbridge._registry import Entry


def checked(scratch_bytes: Any, entry: Entry) -> int | WorkspacesOf:
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
