"""Which targets XLA:GPU may record into command buffers (CUDA graphs): what their users say."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from callbridge._error import CallbridgeError
from callbridge.library import Library

OPTION = "command_buffer_compatible"
NONE: frozenset[str] = frozenset()


def checked(value: Any) -> bool:
    """Raises TypeError for anything but a bool."""
    if not isinstance(value, bool):
        raise TypeError(f"{OPTION}: expected a bool, got {type(value).__name__}")
    return value


def names(value: Any, library: Library) -> frozenset[str]:
    """The names of the library's targets that load() was told of.

    Raises TypeError if `value` is neither a bool nor a collection of names; NOT_FOUND if the
    library has no target of a name.
    """
    registered = frozenset(target.name for target in library.targets)
    if isinstance(value, bool):
        return registered if value else NONE
    if isinstance(value, (str, bytes)) or not isinstance(value, Collection):
        raise TypeError(
            f"{OPTION}: expected a bool or a list of targets' names, got {type(value).__name__}"
        )
    named = frozenset(value)
    for name in named - registered:
        raise CallbridgeError(
            "NOT_FOUND",
            f"{OPTION}: {library.path} has no target {name!r}; it has "
            f"{', '.join(map(repr, sorted(registered))) or 'none'}",
        )
    return named
