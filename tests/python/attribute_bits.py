"""The attributes of tests/targets/attribute_bits.cc: floating-point numbers that something between
a caller and a handler may change, and the words that the handlers write of them.
"""

import struct

import numpy as np

# Of NaNs: a quiet one with a sign, one with a payload, signaling ones; -0, the smallest subnormal,
# infinity.
_SINGLES = (
    *(0xFFC00000, 0x7FC12345, 0x7F800001, 0xFFA00000, 0xFF812345),
    *(0x80000000, 0x00000001, 0x7F800000),
)
_DOUBLES = (
    *(0xFFF8000000000000, 0x7FF8000000000123, 0x7FF0000000000001, 0xFFF4000012345678),
    *(0xFFF0000000000001, 0x8000000000000000, 0x0000000000000001, 0x7FF0000000000000),
)
ROWS = range(len(_SINGLES))
TARGETS = ("attribute_bits", "inner_attribute_bits")
SHAPE = "u32[9]"


def _pair(bits, row):
    return bits[row], bits[(row + 1) % len(bits)]


def attributes(target, row, number=np.float64):
    """What the target takes; of the double that is no array, a NumPy scalar or a Python float."""
    (double,) = struct.unpack("=d", struct.pack("=Q", _DOUBLES[row]))
    own = {
        "single": np.array(_SINGLES[row], np.uint32).view(np.float32)[()],
        "number": np.array(_DOUBLES[row], np.uint64).view(np.float64)[()]
        if number is np.float64
        else double,
        "singles": np.array(_pair(_SINGLES, row), np.uint32).view(np.float32),
        "numbers": np.array(_pair(_DOUBLES, row), np.uint64).view(np.float64),
    }
    return own if target == "attribute_bits" else {"inner": own}


def words(row):
    """What the target writes."""
    singles, doubles = _pair(_SINGLES, row), _pair(_DOUBLES, row)
    bits = struct.pack("=IQ2I2Q", singles[0], doubles[0], *singles, *doubles)
    return list(struct.unpack("=9I", bits))


def quieted(row):
    """Likewise where the scalar single passes through a double, which makes it quiet."""
    is_nan = _SINGLES[row] & 0x7FFFFFFF > 0x7F800000
    return [words(row)[0] | (0x00400000 if is_nan else 0), *words(row)[1:]]


def texts(row):
    """The attributes of "attribute_bits" as `callbridge run --attribute` takes them."""
    single, double = f"0x{_SINGLES[row]:08X}", f"0x{_DOUBLES[row]:016X}"
    singles = ", ".join(f"0x{bits:08X}" for bits in _pair(_SINGLES, row))
    doubles = ", ".join(f"0x{bits:016X}" for bits in _pair(_DOUBLES, row))
    return [
        f"single={single} : f32",
        f"number={double} : f64",
        f"singles=array<f32: {singles}>",
        f"numbers=array<f64: {doubles}>",
    ]
