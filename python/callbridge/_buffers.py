"""Buffers for the embedded runtime: NumPy arrays as targets want them.

Aligned as XLA:CPU aligns its own, since old code may use aligned vector instructions; row-major, in
the machine's byte order, sub-byte elements packed.
"""

import math
from typing import Any

import numpy as np

from callbridge import _c_api, _element_types, _sub_byte

_ALIGNMENT = 64  # bytes


def operand_buffer(leaf: Any) -> np.ndarray:
    """A copy of the array's bytes: what a target does to its operands stays in the call."""
    array = np.asarray(leaf)
    element = _element_types.element_type(array.dtype)
    array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    data = (
        _sub_byte.pack(array, element.bits)
        if element.bits < 8
        else array.reshape(-1).view(np.uint8)
    )
    buffer = _aligned_bytes(data.size)
    buffer[:] = data
    return buffer


def result_buffer(leaf: Any) -> np.ndarray:
    """Zeros for a result of the form of `leaf`."""
    element = _element_types.element_type(leaf.dtype)
    return _aligned_bytes(-(-math.prod(leaf.shape) * element.bits // 8))


def result_array(buffer: np.ndarray, leaf: Any) -> np.ndarray:
    """The array of the form of `leaf` in `buffer`; a view of it unless that is packed."""
    element = _element_types.element_type(leaf.dtype)
    if element.bits < 8:
        return _sub_byte.unpack(buffer, element.bits, element.dtype, tuple(leaf.shape))
    return buffer.view(element.dtype).reshape(leaf.shape)


def c_arrays(buffers: list[np.ndarray]):
    return (_c_api.Array * len(buffers))(*((b.ctypes.data, b.size) for b in buffers))


def _aligned_bytes(size: int) -> np.ndarray:
    memory = np.zeros(size + _ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % _ALIGNMENT
    return memory[start : start + size]
