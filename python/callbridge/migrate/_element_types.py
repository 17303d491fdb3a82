"""XLA's element types, by the C++ types that a function reads and writes them as."""

from __future__ import annotations

# Types of C++ that hold one type of XLA's alone. Bytes and 16-bit words hold several: U8, PRED and
# raw bytes; U16, F16 and BF16.
_NAMES = {
    "bool": "PRED",
    "signed char": "S8",
    "short": "S16",
    "int": "S32",
    "long": "S64",
    "long long": "S64",
    "unsigned int": "U32",
    "unsigned long": "U64",
    "unsigned long long": "U64",
    "float": "F32",
    "double": "F64",
    "std::complex<float>": "C64",
    "std::complex<double>": "C128",
}
# As C++ programs write them.
_WRITTEN = {
    **{one: one for one in ("bool", "float", "double")},
    **{one: one for one in ("std::complex<float>", "std::complex<double>")},
    "signed char": "int8_t",
    "char": "uint8_t",
    "unsigned char": "uint8_t",
    "short": "int16_t",
    "unsigned short": "uint16_t",
    "int": "int32_t",
    "unsigned int": "uint32_t",
    "long": "int64_t",
    "long long": "int64_t",
    "unsigned long": "uint64_t",
    "unsigned long long": "uint64_t",
}


def name(type_: str) -> str | None:
    """XLA's name of a canonical C++ type: "F32" of "float"; None if it has none, or several."""
    return _NAMES.get(type_)


def is_native(type_: str) -> bool:
    """True if typed_data() of the element type is a pointer to this type itself."""
    return type_ in _NAMES and "long long" not in type_


def written(type_: str | None) -> str:
    """The type that a test has an array of; float where it is no number."""
    return _WRITTEN.get(type_ or "", "float")
