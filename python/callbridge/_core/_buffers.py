"""Buffers for the embedded runtime: NumPy arrays as targets want them.

Aligned as XLA:CPU aligns its own, since old code may use aligned vector instructions; row-major, in
the machine's byte order, sub-byte elements packed.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from callbridge._core import _c_api, _element_types


def pack(array: np.ndarray, bits: int) -> np.ndarray:
    """Returns the elements of `array`, row-major, as bytes."""
    per_byte = 8 // bits
    fields = np.zeros(-(-array.size // per_byte) * per_byte, np.uint8)
    fields[: array.size] = array.reshape(-1).view(np.uint8) & (2**bits - 1)
    shifted = fields.reshape(-1, per_byte) << _shifts(bits)
    return np.bitwise_or.reduce(shifted, axis=1)


def unpack(packed: np.ndarray, bits: int, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Returns the array whose elements are in the bytes `packed`."""
    fields = (packed[:, np.newaxis] >> _shifts(bits)) & np.uint8(2**bits - 1)
    return fields.reshape(-1)[: math.prod(shape)].view(dtype).reshape(shape)


def _shifts(bits: int) -> np.ndarray:
    return np.arange(0, 8, bits, dtype=np.uint8)


_ALIGNMENT = 64  # bytes


class Buffer:
    """Returns the aligned part of `memory`, which has _ALIGNMENT bytes more than are used."""

    __slots__ = ("_memory", "_offset", "address")

    def __init__(self, memory: np.ndarray):
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))  # type: ignore[arg-type]
        self._memory = memory
        self._offset = -address % _ALIGNMENT
        self.address = address + self._offset

    def array(self, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
        """Returns a view of it."""
        return np.ndarray(shape, dtype, self._memory, self._offset)


class Form:
    """The arrays of one shape and element type, and how they lie in a buffer.

    Attributes:
      size_bytes: of a buffer.
      stored_shape, stored_dtype: of an array that views a buffer.
      pack: makes such an array of an array of this form; None where that is one.
      unpack: the reverse.
    """

    __slots__ = ("size_bytes", "stored_shape", "stored_dtype", "pack", "unpack")

    def __init__(self, leaf: Any):
        """Returns the form of `leaf`. Raises INVALID_ARGUMENT if it has no element type."""
        element = _element_types.element_type(leaf.dtype)
        shape = tuple(leaf.shape)
        bits, dtype = element.bits, element.dtype
        self.size_bytes = -(-math.prod(shape) * bits // 8)
        self.stored_shape, self.stored_dtype, self.pack, self.unpack = shape, dtype, None, None
        if bits < 8:
            self.stored_shape, self.stored_dtype = (self.size_bytes,), np.dtype(np.uint8)
            self.pack = lambda array: pack(array, bits)
            self.unpack = lambda packed: unpack(packed, bits, dtype, shape)

    def operand(self, array: np.ndarray) -> Buffer:
        """Returns a copy of the array, since a target may write to its operands."""
        buffer = Buffer(np.empty(self.size_bytes + _ALIGNMENT, np.uint8))
        stored = buffer.array(self.stored_shape, self.stored_dtype)
        stored[...] = array if self.pack is None else self.pack(array)
        return buffer

    def result(self) -> Buffer:
        """Returns a buffer of zeros."""
        return Buffer(np.zeros(self.size_bytes + _ALIGNMENT, np.uint8))

    def array(self, buffer: Buffer) -> np.ndarray:
        """Returns the array in `buffer`: a view, unless it is packed."""
        stored = buffer.array(self.stored_shape, self.stored_dtype)
        return stored if self.unpack is None else self.unpack(stored)

    def c_array(self, buffer: Buffer) -> _c_api.Array:
        return _c_api.Array(buffer.address, self.size_bytes)
