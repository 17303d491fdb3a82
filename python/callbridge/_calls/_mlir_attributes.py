"""Attributes of typed calls as the text of an MLIR dictionary, which HLO holds as backend_config.

Numbers are written by their bits where decimals would round them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from callbridge._core import _call_site
from callbridge._core._error import CallbridgeError, utf_8

# By NumPy's names: MLIR's types.
_TYPES = {
    "bool": "i1",
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"ui{bits}" for bits in (8, 16, 32, 64)},
    "float32": "f32",
    "float64": "f64",
}
# Of these XLA decodes arrays; of the unsigned ones, tensors.
_ARRAYS = ("int8", "int16", "int32", "int64", "float32", "float64")
_TENSORS = ("uint8", "uint16", "uint32", "uint64")


def dictionary(attributes: Mapping[str, Any], what: str = "attributes") -> str:
    """Returns the text of attributes that callbridge._core._call_site.Attributes accepts.

    Raises UNIMPLEMENTED for types that XLA's FFI does not decode.
    """
    entries = [
        f"{_string(utf_8(name, what))} = {_value(value, f'{what}[{name!r}]')}"
        for name, value in sorted(attributes.items())
    ]
    return f"{{{', '.join(entries)}}}"


def _value(value: Any, what: str) -> str:
    if isinstance(value, Mapping):
        return dictionary(value, what)
    if isinstance(value, (str, bytes)):
        return _string(utf_8(value, what) if isinstance(value, str) else value)
    elements = _call_site.as_array(value).reshape(-1)
    kind = elements.dtype.name
    is_array = isinstance(value, np.ndarray)
    known = (*_ARRAYS, *_TENSORS) if is_array else _TYPES
    if kind not in known:
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"{what}: XLA decodes no {'arrays' if is_array else 'scalars'} of {kind}; have the "
            f"handler take one of {', '.join(known)}",
        )
    if not is_array:
        if kind == "bool":
            return "true" if elements[0] else "false"
        return f"{_number(elements[0])} : {_TYPES[kind]}"
    numbers = ", ".join(map(_number, elements))
    if kind in _ARRAYS:
        return f"array<{_TYPES[kind]}{': ' if numbers else ''}{numbers}>"
    list_of_numbers = f"[{numbers}]" if numbers else ""
    return f"dense<{list_of_numbers}> : tensor<{elements.size}x{_TYPES[kind]}>"


def _number(value: Any) -> str:
    if value.dtype.kind == "f":
        bits = value.view(f"uint{8 * value.dtype.itemsize}")
        return f"0x{int(bits):0{2 * value.dtype.itemsize}X}"
    return str(int(value))


def _string(text: bytes) -> str:
    def escaped(byte: int) -> str:
        is_plain = 0x20 <= byte < 0x7F and byte not in b'"\\'
        return chr(byte) if is_plain else f"\\{byte:02X}"

    return f'"{"".join(map(escaped, text))}"'
