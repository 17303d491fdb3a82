"""Element types of arrays: XLA's numbers and names, and NumPy's dtypes."""

import dataclasses

import numpy as np

from callbridge._core._error import CallbridgeError


@dataclasses.dataclass(frozen=True)
class ElementType:
    number: int  # xla.PrimitiveType
    name: str  # in shape texts
    dtype_name: str  # numpy.dtype.name, also of the dtypes of ml_dtypes
    bits: int

    @property
    def dtype(self) -> np.dtype:
        """Raises UNIMPLEMENTED if it is one of ml_dtypes, and that is missing or too old."""
        try:
            return np.dtype(self.dtype_name)
        except TypeError:
            pass
        try:
            import ml_dtypes

            return np.dtype(getattr(ml_dtypes, self.dtype_name))
        except (ImportError, AttributeError) as error:
            raise CallbridgeError(
                "UNIMPLEMENTED",
                f"{self.name} is ml_dtypes.{self.dtype_name} in NumPy, which is "
                "not there; install the newest ml_dtypes",
            ) from error


_TYPES = [
    ElementType(1, "pred", "bool", 8),
    ElementType(2, "s8", "int8", 8),
    ElementType(3, "s16", "int16", 16),
    ElementType(4, "s32", "int32", 32),
    ElementType(5, "s64", "int64", 64),
    ElementType(6, "u8", "uint8", 8),
    ElementType(7, "u16", "uint16", 16),
    ElementType(8, "u32", "uint32", 32),
    ElementType(9, "u64", "uint64", 64),
    ElementType(10, "f16", "float16", 16),
    ElementType(11, "f32", "float32", 32),
    ElementType(12, "f64", "float64", 64),
    ElementType(15, "c64", "complex64", 64),
    ElementType(16, "bf16", "bfloat16", 16),
    ElementType(18, "c128", "complex128", 128),
    ElementType(19, "f8e5m2", "float8_e5m2", 8),
    ElementType(20, "f8e4m3fn", "float8_e4m3fn", 8),
    ElementType(21, "s4", "int4", 4),
    ElementType(22, "u4", "uint4", 4),
    ElementType(23, "f8e4m3b11fnuz", "float8_e4m3b11fnuz", 8),
    ElementType(24, "f8e5m2fnuz", "float8_e5m2fnuz", 8),
    ElementType(25, "f8e4m3fnuz", "float8_e4m3fnuz", 8),
    ElementType(26, "s2", "int2", 2),
    ElementType(27, "u2", "uint2", 2),
    ElementType(28, "f8e4m3", "float8_e4m3", 8),
    ElementType(29, "f8e3m4", "float8_e3m4", 8),
    ElementType(30, "s1", "int1", 1),
    ElementType(31, "u1", "uint1", 1),
    ElementType(32, "f4e2m1fn", "float4_e2m1fn", 4),
    ElementType(33, "f8e8m0fnu", "float8_e8m0fnu", 8),
]
TUPLE = 13
# What is no array, in a shape tree that callbridge makes: it stands where a dtype does.
TOKEN = ElementType(17, "token", "token", 8)
BY_NUMBER = {element.number: element for element in _TYPES}
_BY_DTYPE_NAME = {element.dtype_name: element for element in _TYPES}
# Caches element_type(): NumPy takes several microseconds for a dtype's name.
_FOUND: dict[np.dtype | ElementType, ElementType] = {TOKEN: TOKEN}
# The numbers of native dtypes that callbridge.numpy has seen as operands.
NUMBERS: dict[np.dtype, int] = {}


def element_type(dtype, what: str = "the array") -> ElementType:
    """Returns the type of a dtype in any byte order. Raises INVALID_ARGUMENT if there is none."""
    found = _FOUND.get(dtype)
    if found is not None:
        return found
    name = getattr(dtype, "name", dtype)
    element = _BY_DTYPE_NAME.get(name)
    if element is None:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what} is of dtype {name}, which is not an element "
            "type of XLA's; convert it with astype()",
        )
    if isinstance(dtype, np.dtype):
        _FOUND[dtype] = element
    return element
