"""HLO modules of one custom call, as PyTorch/XLA takes computations: serialized HloModuleProto.

PyTorch/XLA's own _xla_custom_call() has no layouts and no aliases, and its programs are cached by
the target's name and the operands alone: a call with another opaque runs the first one's program
(measured on 2.4.0 and 2.9.0). A computation is cached by all that is in it.

The field numbers are those of hlo/hlo.proto and hlo/xla_data.proto.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

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
