"""Arrays whose elements take less than a byte.

NumPy gives each element a byte. Custom calls get them packed, the first element in the lowest bits,
the last byte filled up with zeros: so every XLA:CPU does that takes them as operands and results
(jaxlib 0.6.2 to 0.10.2, measured; 0.4.30 refuses results).
"""

import math

import numpy as np


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
