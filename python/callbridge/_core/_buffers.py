"""Operands and buffers for the embedded runtime: NumPy arrays as targets want them.

Aligned as XLA:CPU aligns its own, since old code may use aligned vector instructions; row-major, in
the machine's byte order, sub-byte elements packed.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy as np

from callbridge._core import _c_api, _shapes

# ---- Operands, for the faces that copy them -----------------------------------------------------


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
    if array.dtype not in _shapes.NUMBERS:
        element = _shapes.element_type(array.dtype, what)
        array = np.asarray(array, array.dtype.newbyteorder("="), order="C")
        _shapes.NUMBERS[array.dtype] = element.number
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


# ---- Buffers ------------------------------------------------------------------------------------


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
        element = _shapes.element_type(leaf.dtype)
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
