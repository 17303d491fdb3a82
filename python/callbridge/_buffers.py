"""Buffers for the embedded runtime: NumPy arrays as targets want them.

Aligned as XLA:CPU aligns its own, since old code may use aligned vector instructions; row-major, in
the machine's byte order, sub-byte elements packed.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from callbridge import _c_api, _element_types, _sub_byte

_ALIGNMENT = 64  # bytes


class Buffer:
    """Memory of its own. `bytes` is a view of it, `address` where that begins."""

    __slots__ = ("bytes", "address")

    def __init__(self, memory: np.ndarray):
        address = memory.__array_interface__["data"][0]
        start = -address % _ALIGNMENT
        self.bytes = memory[start : memory.size - _ALIGNMENT + start]
        self.address = address + start


class Form:
    """The arrays of one shape and element type, and how they lie in a buffer."""

    def __init__(self, leaf: Any):
        """That of `leaf`. INVALID_ARGUMENT where its dtype is no element type of XLA's."""
        element = _element_types.element_type(leaf.dtype)
        self._shape = tuple(leaf.shape)
        self._dtype = element.dtype
        self._bits = element.bits
        self._size_bytes = -(-math.prod(self._shape) * element.bits // 8)

    def operand(self, array: np.ndarray) -> Buffer:
        """A copy of the array: what a target does to its operands stays in the call."""
        buffer = Buffer(np.empty(self._size_bytes + _ALIGNMENT, np.uint8))
        if self._bits < 8:
            buffer.bytes[:] = _sub_byte.pack(array, self._bits)
        else:
            buffer.bytes.view(self._dtype).reshape(self._shape)[...] = array
        return buffer

    def result(self) -> Buffer:
        """Zeros."""
        return Buffer(np.zeros(self._size_bytes + _ALIGNMENT, np.uint8))

    def array(self, buffer: Buffer) -> np.ndarray:
        """The array in `buffer`; a view of it unless that is packed."""
        if self._bits < 8:
            return _sub_byte.unpack(buffer.bytes, self._bits, self._dtype, self._shape)
        return buffer.bytes.view(self._dtype).reshape(self._shape)


def c_arrays(buffers: list[Buffer]):
    return (_c_api.Array * len(buffers))(*((b.address, b.bytes.size) for b in buffers))
