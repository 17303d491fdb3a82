"""HLO modules of one custom call, as PyTorch/XLA takes computations: serialized HloModuleProto.

PyTorch/XLA's own _xla_custom_call() has no layouts and no aliases, and its programs are cached by
the target's name and the operands alone: a call with another opaque runs the first one's program
(measured on 2.4.0 and 2.9.0). A computation is cached by all that is in it.

The field numbers are those of hlo/hlo.proto and hlo/xla_data.proto. The attributes of typed calls
are the text of an MLIR dictionary in backend_config.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from callbridge._core import _call_site
from callbridge._core._error import CallbridgeError, utf_8

# xla.CustomCallApiVersion
API_VERSIONS = {"version_3": 3, "typed": 4}
_TUPLE = 13  # xla.PrimitiveType


class Array(NamedTuple):
    """An array's form."""

    element_type: int  # xla.PrimitiveType
    shape: tuple[int, ...]


def custom_call(
    name: str,
    target: str,
    operands: Sequence[Array],
    results: Sequence[Array],
    *,
    path: str,
    backend_config: bytes,
    has_side_effect: bool,
    aliases: Mapping[int, int],
) -> bytes:
    """Returns a module of parameters and a call of `target` on them.

    Names end in a number, without which XLA ends the process where it renumbers them. All arrays
    are row-major. The result is an array if there is one, else a tuple.

    Args:
      name: of the module and its computation.
      path: how the target is called, "version_3" or "typed".
      aliases: from operands to results, both by their index.
    """
    result = _shape(results[0]) if len(results) == 1 else _tuple_shape(results)
    parameters = [_shape(array) for array in operands]
    root = len(operands)
    identifier = root + 1  # of the computation; XLA renumbers it and its instructions as one
    instructions = [
        _text(1, f"p{i}.{i}") + _text(2, "parameter") + _bytes(3, shape) + _number(9, i)
        + _number(35, i)
        for i, shape in enumerate(parameters)
    ]  # fmt: skip
    call = _text(1, f"custom-call.{root}") + _text(2, "custom-call") + _bytes(3, result)
    call += _text(28, target) + _number(35, root)
    call += b"".join(_number(36, i) for i in range(len(operands)))
    call += _bytes(43, backend_config)
    call += _number(56, 1) + b"".join(_bytes(57, shape) for shape in parameters)
    call += _number(65, int(has_side_effect))
    for operand, output in sorted(aliases.items()):
        index = b"" if len(results) == 1 else _number(1, output)
        call += _bytes(74, index + _number(2, operand))
    call += _number(77, API_VERSIONS[path])
    program = b"".join(_bytes(1, shape) for shape in parameters) + _bytes(2, result)
    program += b"".join(_text(3, f"p{i}") for i in range(len(operands)))
    computation = _text(1, f"{name}.1") + b"".join(_bytes(2, i) for i in [*instructions, call])
    computation += _bytes(4, program) + _number(5, identifier) + _number(6, root)
    return (
        _text(1, f"{name}.1") + _text(2, f"{name}.1") + _bytes(3, computation) + _bytes(4, program)
        + _number(5, 1) + _number(6, identifier)
    )  # fmt: skip


def _shape(array: Array) -> bytes:
    minor_to_major = b"".join(_number(1, i) for i in reversed(range(len(array.shape))))
    sizes = b"".join(_number(3, size) for size in array.shape)
    is_dynamic = b"".join(_number(6, 0) for _ in array.shape)
    return _number(2, array.element_type) + sizes + _bytes(5, minor_to_major) + is_dynamic


def _tuple_shape(arrays: Sequence[Array]) -> bytes:
    return _number(2, _TUPLE) + b"".join(_bytes(4, _shape(array)) for array in arrays)


# ---- Protocol buffers' wire format --------------------------------------------------------------


def _varint(number: int) -> bytes:
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _number(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, text: str) -> bytes:
    return _bytes(field, text.encode())


# ---- Attributes in MLIR -------------------------------------------------------------------------

# By NumPy's names: MLIR's types.
_MLIR_TYPES = {
    "bool": "i1",
    **{f"int{bits}": f"i{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"ui{bits}" for bits in (8, 16, 32, 64)},
    "float32": "f32",
    "float64": "f64",
}
# Of these XLA decodes arrays; of the unsigned ones, tensors.
_ARRAYS = ("int8", "int16", "int32", "int64", "float32", "float64")
_TENSORS = ("uint8", "uint16", "uint32", "uint64")


def attribute_dictionary(attributes: Mapping[str, Any], what: str = "attributes") -> str:
    """Returns the text of attributes that callbridge._core._call_site.Attributes accepts.

    Numbers are written by their bits where decimals would round them.

    Raises UNIMPLEMENTED for types that XLA's FFI does not decode.
    """
    entries = [
        f"{_quoted(utf_8(name, what))} = {_value(value, f'{what}[{name!r}]')}"
        for name, value in sorted(attributes.items())
    ]
    return f"{{{', '.join(entries)}}}"


def _value(value: Any, what: str) -> str:
    if isinstance(value, Mapping):
        return attribute_dictionary(value, what)
    if isinstance(value, (str, bytes)):
        return _quoted(utf_8(value, what) if isinstance(value, str) else value)
    elements = _call_site.as_array(value).reshape(-1)
    kind = elements.dtype.name
    is_array = isinstance(value, np.ndarray)
    known = (*_ARRAYS, *_TENSORS) if is_array else _MLIR_TYPES
    if kind not in known:
        raise CallbridgeError(
            "UNIMPLEMENTED",
            f"{what}: XLA decodes no {'arrays' if is_array else 'scalars'} of {kind}; have the "
            f"handler take one of {', '.join(known)}",
        )
    if not is_array:
        if kind == "bool":
            return "true" if elements[0] else "false"
        return f"{_decimal(elements[0])} : {_MLIR_TYPES[kind]}"
    numbers = ", ".join(map(_decimal, elements))
    if kind in _ARRAYS:
        return f"array<{_MLIR_TYPES[kind]}{': ' if numbers else ''}{numbers}>"
    list_of_numbers = f"[{numbers}]" if numbers else ""
    return f"dense<{list_of_numbers}> : tensor<{elements.size}x{_MLIR_TYPES[kind]}>"


def _decimal(value: Any) -> str:
    if value.dtype.kind == "f":
        bits = value.view(f"uint{8 * value.dtype.itemsize}")
        return f"0x{int(bits):0{2 * value.dtype.itemsize}X}"
    return str(int(value))


def _quoted(text: bytes) -> str:
    def escaped(byte: int) -> str:
        is_plain = 0x20 <= byte < 0x7F and byte not in b'"\\'
        return chr(byte) if is_plain else f"\\{byte:02X}"

    return f'"{"".join(map(escaped, text))}"'
