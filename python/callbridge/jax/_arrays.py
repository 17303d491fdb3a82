"""What arrays JAX has, of which size and in which layout: it takes some dtypes for others, and ends
the process where a size is beyond 64 bits."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from callbridge._core import _shapes
from callbridge._core._error import CallbridgeError
from callbridge.jax._runtimes import RUNTIME, Runtime, unimplemented

_BYTES_LIMIT = 2**63
# The types that JAX narrows while 64-bit types are disabled.
_WIDE = ("int64", "uint64", "float64", "complex128")


def check_operands(operands: Sequence) -> None:
    """Raises INVALID_ARGUMENT for arrays that have no element type, such as random keys."""
    for operand in operands:
        _shapes.element_type(operand.dtype, "an operand")


def check_results(results: Sequence) -> bool:
    """Raises INVALID_ARGUMENT for impossible arrays. Symbolic dimensions may have any size.

    Returns whether check_width() may refuse them.
    """
    total = 0
    is_wide = False
    for result in results:
        element = _shapes.element_type(result.dtype, "a result")
        is_wide = is_wide or element.dtype_name in _WIDE
        if not isinstance(result.shape, tuple):
            raise TypeError(f"a result has the shape {result.shape!r}: expected a tuple of sizes")
        sizes = [size for size in result.shape if isinstance(size, (int, np.integer))]
        if min(sizes, default=0) < 0:
            raise CallbridgeError(
                "INVALID_ARGUMENT", f"a result has the shape {result.shape}: a size is negative"
            )
        # XLA multiplies in any order, so a size of 0 does not prevent an overflow.
        total += math.prod([max(int(size), 1) for size in sizes]) * max(element.bits // 8, 1)
    if total >= _BYTES_LIMIT:
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"the result has {total} bytes, which 64 bits cannot count"
        )
    return is_wide


def check_width(results: Sequence) -> None:
    """Raises INVALID_ARGUMENT for results for which JAX would silently make a narrower buffer."""
    for result in results:
        narrowed: Any = jax.dtypes.canonicalize_dtype(result.dtype)
        if narrowed != result.dtype:
            raise CallbridgeError(
                "INVALID_ARGUMENT",
                f"a result is of dtype {result.dtype}, for which JAX would have {narrowed}; enable "
                "64-bit types, by the option jax_enable_x64",
            )


def check_types(arrays: Sequence, path: str) -> None:
    """Raises UNIMPLEMENTED for element types that this JAX does not pass by `path`."""
    lacking = _lacking(RUNTIME, path)
    for array in arrays if lacking else ():
        name = _shapes.element_type(array.dtype).dtype_name
        if name in lacking:
            raise _passes_no(name, path)


def _passes_no(name: str, path: str) -> CallbridgeError:
    return unimplemented(
        f"an array of {name}, by the path {path!r},",
        lambda row: row.has_typed_ffi and name not in _lacking(row, path),
    )


def _lacking(runtime: Runtime, path: str) -> tuple[str, ...]:
    return runtime.lacks_types + (runtime.typed_lacks_types if path == "typed" else ())


# ---- Layouts of arrays, as jax.ffi.ffi_call is given them: dimensions, major to minor ------------


def copied_layouts(layouts: Any) -> Any:
    """Returns a copy of `layouts` and the lists in it."""
    return list(map(copied_layouts, layouts)) if isinstance(layouts, list) else layouts


def checked_layouts(layouts: Any, arrays: Sequence[Any], what: str) -> list | None:
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
