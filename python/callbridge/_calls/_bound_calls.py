"""Calls of the embedded runtime that are bound once for each form of their operands, and made
often."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from callbridge._calls import _extension
from callbridge._core import _buffers
from callbridge._core._fork_lock import ProcessLock

if TYPE_CHECKING or _extension.MODULE is None:
    from callbridge._calls._python_calls import BoundCall, Caller
else:
    BoundCall, Caller = _extension.MODULE.BoundCall, _extension.MODULE.Caller

__all__ = ["CAPACITY", "BoundCall", "caller", "forms"]

# The number of forms that one function of custom_call() keeps bound.
CAPACITY = 256


def caller(bind: Callable[[tuple], BoundCall]) -> Callable[[tuple], Any]:
    """A function that calls a target on a tuple of operands, bound to the forms that come.

    It is thread-safe as far as the target is.
    """
    by_form, bind_new = forms(bind)
    return Caller(by_form, _buffers.arrays, bind_new).call


def forms(bind: Callable[[tuple], Any]) -> tuple[dict[Any, Any], Callable[[Any, tuple], Any]]:
    """The bound calls by the keys of their forms, and what binds one for a key that is not there.

    A form that was not called for longest is dropped where there are more than CAPACITY; calls that
    it is in are finished first, and when it comes again it is bound again.
    """
    by_form: dict[Any, Any] = {}
    # A target may call the function while it is bound.
    lock = ProcessLock()

    def bind_new(key: Any, operands: tuple) -> Any:
        with lock:
            found = by_form.get(key)
            if found is None:
                found = bind(operands)
                # Calls that found it before hold a reference.
                while len(by_form) >= CAPACITY:
                    oldest, _ = min(list(by_form.items()), key=lambda item: item[1].last_use)
                    by_form.pop(oldest, None)  # a signal handler may have removed it
                by_form[key] = found
            return found

    return by_form, bind_new
