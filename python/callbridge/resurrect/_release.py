"""JAX's release, which compares with others by its numbers.

Packages compare it as text, by which 0.10.2 is older than 0.4.1: they refuse a JAX that is new
enough, or do what an older one needs.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

_NUMBERS = re.compile(r"\d+(?:\.\d+)+")


class Release(str):
    """A text that is what it was, but for <, <=, > and >= with another release."""

    def __lt__(self, other: Any) -> bool:
        return self._compared(operator.lt, other)

    def __le__(self, other: Any) -> bool:
        return self._compared(operator.le, other)

    def __gt__(self, other: Any) -> bool:
        return self._compared(operator.gt, other)

    def __ge__(self, other: Any) -> bool:
        return self._compared(operator.ge, other)

    def __reduce__(self) -> tuple:
        return str, (str(self),)

    def _compared(self, compare: Callable, other: Any) -> Any:
        if not isinstance(other, str):
            return NotImplemented
        own, others = _numbers(self), _numbers(other)
        # What stands behind the numbers, as in 0.4.1.dev3, JAX's users compare as text.
        if own and others and own != others:
            return compare(own, others)
        return compare(str(self), str(other))


def _numbers(text: str) -> list[int]:
    found = _NUMBERS.match(text)
    return [] if found is None else [int(number) for number in found.group().split(".")]


def release(original: str) -> Release:
    """What takes the place of __version__."""
    return Release(original)
