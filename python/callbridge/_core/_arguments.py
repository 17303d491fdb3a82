"""Arguments that are texts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from callbridge._core._error import CallbridgeError


def check_text(value: Any, what: str) -> None:
    """Raises TypeError, which begins with `what`, for anything but a str."""
    if not isinstance(value, str):
        raise TypeError(f"{what}: expected a str, got {type(value).__name__}")


def check_choice(value: Any, what: str, choices: Iterable[str]) -> None:
    """Also raises INVALID_ARGUMENT for a str that is not in `choices`."""
    check_text(value, what)
    if value not in choices:
        raise CallbridgeError(
            "INVALID_ARGUMENT",
            f"{what}: expected one of {', '.join(map(repr, choices))}, got {value!r}",
        )


def utf_8(value: str, what: str) -> bytes:
    """Raises INVALID_ARGUMENT, which begins with `what`, for a str that UTF-8 cannot encode."""
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"{what}: expected a text that UTF-8 can encode, got {value!r}"
        ) from None
