"""Programs that are read back: XLA is given the functions that they call.

Only a call says which version an untyped function has, so XLA is given the function when a program
lowers its first call. A program that is read back is not lowered. So the calls that this package
builds say their versions in a frontend attribute, which stays in a program wherever it goes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from jaxlib.mlir import ir

from callbridge._target_abis import UNTYPED
from callbridge.resurrect import _registration, _untyped_of_xla

FRONTEND_ATTRIBUTES = "mhlo.frontend_attributes"
_NAME = "callbridge_call"


def mark(target: str, api_version: int) -> ir.Attribute:
    """Returns the frontend attributes of a call of that version.

    Args:
      target: by which name XLA has it.
      api_version: 1 to 3, which the program says it is of.
    """
    return ir.DictAttr.get({_NAME: ir.StringAttr.get(_text(target, api_version))})


def merged_frontend_attributes(
    attributes: dict[str, ir.Attribute], others: Mapping[str, ir.Attribute]
) -> dict[str, ir.Attribute]:
    """Returns an operation's `attributes`, whose frontend attributes include those of `others`, if
    both have some; what both name is as in `others`."""
    both = [
        each[FRONTEND_ATTRIBUTES] for each in (attributes, others) if FRONTEND_ATTRIBUTES in each
    ]
    if len(both) < 2:
        return attributes
    merged = {entry.name: entry.attr for each in both for entry in ir.DictAttr(each)}
    return {**attributes, FRONTEND_ATTRIBUTES: ir.DictAttr.get(merged)}


def _text(target: str, api_version: int) -> str:
    return f"{target} as version {api_version}"


def _serve(program: bytes | bytearray) -> None:
    """Gives XLA what the program calls of the functions that this process registered."""
    if _NAME.encode() not in program:
        return
    from callbridge.resurrect import _custom_call

    for api_version, abi in UNTYPED.items():
        for name in sorted(_registration.names):
            if _text(name, api_version).encode() in program:
                _custom_call.served(name, api_version)
        for name in _untyped_of_xla.names():
            for is_beside in (False, True):
                target = _untyped_of_xla.name_beside(name) if is_beside else name
                if _text(target, api_version).encode() in program:
                    _untyped_of_xla.entries(name, abi, is_beside)


def serving(original: Callable) -> Callable:
    """Wraps a function that reads back the program that its first argument holds."""

    @functools.wraps(original)
    def wrapper(program: Any, *args: Any, **keywords: Any) -> Any:
        if isinstance(program, (bytes, bytearray)):
            _serve(program)
        return original(program, *args, **keywords)

    return wrapper
