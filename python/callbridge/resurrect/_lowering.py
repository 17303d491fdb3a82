"""What JAX lowers a program for, which functions that build a call by themselves are not told."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any


class _Now(threading.local):
    platforms: tuple[str, ...] = ()
    is_for_export = True


_now = _Now()


def lower_jaxpr_to_module(original: Callable) -> Callable:
    """JAX's function that lowers a program."""

    @functools.wraps(original)
    def wrapper(*arguments: Any, **keywords: Any) -> Any:
        before = vars(_now).copy()
        _now.platforms = tuple(keywords.get("platforms", ()))
        _now.is_for_export = getattr(keywords.get("lowering_parameters"), "for_export", True)
        try:
            return original(*arguments, **keywords)
        finally:
            vars(_now).clear()
            vars(_now).update(before)

    return wrapper


def is_for_this_cpu() -> bool:
    """Returns true if the program that this thread lowers is run by this process, on CPU alone.

    Returns false where that is unknown.
    """
    return _now.platforms == ("cpu",) and not _now.is_for_export
