"""Operands that are made arrays of, for the faces that copy them: library and numpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from callbridge._core import _element_types, _shapes


def arrays(operands: tuple, what: str = "operands") -> tuple:
    """Returns the tree with leaves of type numpy.ndarray: row-major, in native byte order.

    Copies leaves that are not so already. Raises TypeError for what is not an operand,
    INVALID_ARGUMENT for dtypes that are not element types of XLA's.
    """
    return _shapes.map_leaves(_array, operands, what)


def _array(leaf: Any, what: str) -> np.ndarray:
    array = np.asarray(leaf, order="C")
    if type(leaf) is not np.ndarray and not isinstance(leaf, (np.ndarray, np.generic)):
        _check_duck(leaf, array, what)
    if array.dtype not in _element_types.NUMBERS:
        element = _element_types.element_type(array.dtype, what)
        array = np.asarray(array, array.dtype.newbyteorder("="), order="C")
        _element_types.NUMBERS[array.dtype] = element.number
    return array


def _check_duck(leaf: Any, array: np.ndarray, what: str) -> None:
    """Raises TypeError if its shape or dtype differs from that of the array that it makes."""
    declared, made = (tuple(leaf.shape), leaf.dtype), (array.shape, array.dtype)
    # The dtypes of others, such as torch's, are not compared.
    if declared[0] != made[0] or (isinstance(leaf.dtype, np.dtype) and declared[1] != made[1]):
        raise TypeError(
            f"{what} is a {type(leaf).__name__} of shape {declared[0]} and dtype {declared[1]}, "
            f"but numpy.asarray() makes one of shape {made[0]} and dtype {made[1]} of it; pass that"
        )
