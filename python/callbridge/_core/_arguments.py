"""Arguments that are texts, and keyword arguments that a function does not take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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


# Keywords of callbridge.jax.custom_call that concern XLA, and why there is no use for them without.
OF_XLA = {
    "prefer": "there is one way to a target here, and no XLA on it",
    "command_buffer_compatible": "no call is recorded and replayed here",
    "scratch_bytes": "a handler gets the scratch memory that it asks for here",
}


def refuse_others(others: Mapping[str, Any], of_jax: Mapping[str, str]) -> None:
    """Raises TypeError if a custom_call() without XLA got keyword arguments that it does not take.

    `of_jax` says why it does not take those of callbridge.jax.custom_call().
    """
    for name in others:
        if name in of_jax:
            raise TypeError(f"{name}= is for callbridge.jax: {of_jax[name]}; leave it out")
        raise TypeError(f"custom_call() got an unexpected keyword argument {name!r}")


def utf_8(value: str, what: str) -> bytes:
    """Raises INVALID_ARGUMENT, which begins with `what`, for a str that UTF-8 cannot encode."""
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise CallbridgeError(
            "INVALID_ARGUMENT", f"{what}: expected a text that UTF-8 can encode, got {value!r}"
        ) from None
