"""Layouts of arrays, as jax.ffi.ffi_call is given them: dimensions, major to minor."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from callbridge._error import CallbridgeError


def copied(layouts: Any) -> Any:
    """Returns a copy of `layouts` and the lists in it."""
    return list(map(copied, layouts)) if isinstance(layouts, list) else layouts


def checked(layouts: Any, arrays: Sequence[Any], what: str) -> list | None:
    """Returns a layout for each of `arrays`, None for row-major; or None if all are row-major.

    Raises INVALID_ARGUMENT, which begins with `what`, for a layout that does not fit the array, and
    TypeError for anything but a layout.
    """
    if layouts is None:
        return None
    if not isinstance(layouts, (list, tuple)):
        raise TypeError(
            f"{what}: expected a list or tuple of layouts, got {type(layouts).__name__}"
        )
    if len(layouts) != len(arrays):
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what} has {len(layouts)} layouts, but there are {len(arrays)} arrays",
        )
    return [
        None if layout is None else _dimensions(layout, len(array.shape), f"{what}[{i}]")
        for i, (layout, array) in enumerate(zip(layouts, arrays))
    ]


def _dimensions(layout: Any, rank: int, what: str) -> tuple[int, ...]:
    # Some releases of JAX have a class of layouts.
    given = getattr(layout, "major_to_minor", layout)
    try:
        dimensions = tuple(map(operator.index, given))
    except TypeError:
        raise TypeError(
            f"{what}: expected a layout, dimensions from the major to the minor one, got {given!r}"
        ) from None
    if sorted(dimensions) != list(range(rank)):
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what} is {dimensions}, which is not a layout of an array of rank {rank}: expected "
            "each of its dimensions once, from the major to the minor one",
        )
    return dimensions
