"""Programs that are read back: XLA is given the functions that they call.

Only a call says which version an untyped function has, so XLA is given the function when a program
lowers its first call. A program that is read back is not lowered. So the calls that this package
builds say their versions in a frontend attribute, which stays in a program wherever it goes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from callbridge._core._target_abis import UNTYPED
from callbridge.resurrect._lowering import _custom_call
from callbridge.resurrect._registration import _untyped, _untyped_of_xla


def _serve(program: bytes | bytearray) -> None:
    """Gives XLA what the program calls of the functions that this process registered."""
    if _custom_call.MARK.encode() not in program:
        return
    for api_version, abi in UNTYPED.items():
        for name in sorted(_untyped.names):
            if _custom_call.marking(name, api_version).encode() in program:
                _custom_call.served(name, api_version)
        for name in _untyped_of_xla.names():
            for is_beside in (False, True):
                target = _untyped_of_xla.name_beside(name) if is_beside else name
                if _custom_call.marking(target, api_version).encode() in program:
                    _untyped_of_xla.entries(name, abi, is_beside)


def serving(original: Callable) -> Callable:
    """Wraps a function that reads back the program that its first argument holds."""

    @functools.wraps(original)
    def wrapper(program: Any, *args: Any, **keywords: Any) -> Any:
        if isinstance(program, (bytes, bytearray)):
            _serve(program)
        return original(program, *args, **keywords)

    return wrapper
