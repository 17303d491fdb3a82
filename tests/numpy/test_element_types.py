"""Each element type: its name in XLA, its number, its dtype in NumPy and how its elements lie."""

import ml_dtypes
import numpy as np
import pytest
from callbridge import numpy as face
from callbridge._core import _shapes
from callbridge.numpy import custom_call

# By XLA's names in shape texts: NumPy's or ml_dtypes' name, and an element's bits.
TYPES = {
    "pred": ("bool", 8),
    "s8": ("int8", 8),
    "s16": ("int16", 16),
    "s32": ("int32", 32),
    "s64": ("int64", 64),
    "u8": ("uint8", 8),
    "u16": ("uint16", 16),
    "u32": ("uint32", 32),
    "u64": ("uint64", 64),
    "f16": ("float16", 16),
    "f32": ("float32", 32),
    "f64": ("float64", 64),
    "c64": ("complex64", 64),
    "c128": ("complex128", 128),
    "bf16": ("bfloat16", 16),
    "f8e3m4": ("float8_e3m4", 8),
    "f8e4m3": ("float8_e4m3", 8),
    "f8e4m3b11fnuz": ("float8_e4m3b11fnuz", 8),
    "f8e4m3fn": ("float8_e4m3fn", 8),
    "f8e4m3fnuz": ("float8_e4m3fnuz", 8),
    "f8e5m2": ("float8_e5m2", 8),
    "f8e5m2fnuz": ("float8_e5m2fnuz", 8),
    "f8e8m0fnu": ("float8_e8m0fnu", 8),
    "f4e2m1fn": ("float4_e2m1fn", 4),
    "s4": ("int4", 4),
    "u4": ("uint4", 4),
    "s2": ("int2", 2),
    "u2": ("uint2", 2),
    "s1": ("int1", 1),
    "u1": ("uint1", 1),
}


def test_all_are_here():
    listed = {t.name: (t.dtype_name, t.bits) for t in _shapes.BY_NUMBER.values()}
    assert listed == TYPES


@pytest.mark.parametrize("name", TYPES)
def test_names_in_texts(name):
    """libcallbridge.so reads the text, and says by XLA's number which type it is."""
    dtype_name, bits = TYPES[name]
    shape = _shapes.parse_fixed_result(f"({name}[3,5],{name}[])")
    dtype = np.dtype(getattr(ml_dtypes, dtype_name, dtype_name))
    assert shape == (_shapes.ShapeDtype((3, 5), dtype), _shapes.ShapeDtype((), dtype))
    packed = "" if bits >= 8 else f"{{1,0:E({bits})}}"
    assert _shapes.array_text(shape[0], "it") == f"{name}[3,5]{packed}"
    assert _shapes.type_text(shape[0], "it").startswith(f"{name}[]")


@pytest.mark.parametrize(
    "dtype, values, expected",
    [
        # The first element in the lowest bits, the last byte filled up with zeros.
        ("int4", [1, -2, 7, -8, 5], [0xE1, 0x87, 0x05]),
        ("uint4", [15, 0, 9], [0x0F, 0x09]),
        ("int2", [1, -2, -1, 0, 1], [0b00_11_10_01, 0b01]),
        ("uint2", [3, 0, 1, 2, 2, 1], [0b10_01_00_11, 0b01_10]),
        ("float4_e2m1fn", [0.5, -6.0, 1.0], [0xF1, 0x02]),
        ("int1", [-1, 0, -1, -1, 0, 0, 0, 0, -1], [0b00001101, 1]),
        ("uint1", [1, 1, 0, 0, 0, 0, 0, 1, 0], [0b10000011, 0]),
    ],
)
def test_how_elements_of_less_than_a_byte_lie(built, dtype, values, expected):
    face.load(built / "python" / "targets.so")
    array = np.array(values).astype(getattr(ml_dtypes, dtype))
    opaque = len(expected).to_bytes(8, "little")
    call = custom_call("copy_bytes", f"u8[{len(expected)}]", opaque=opaque)
    assert call(array).tolist() == expected
    # The other bits of the byte that NumPy has for an element may be anything.
    unused = np.uint8(0xFF << _shapes.element_type(array.dtype).bits & 0xFF)
    assert call((array.view(np.uint8) | unused).view(array.dtype)).tolist() == expected
    unpacked = custom_call("copy_bytes", array, opaque=opaque)(np.array(expected, np.uint8))
    assert unpacked.dtype == array.dtype and unpacked.tolist() == array.tolist()
