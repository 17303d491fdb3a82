"""Calls of the embedded runtime that are bound once for each form of their operands, and made
often."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from callbridge._calls import _extension, _python_calls
from callbridge._core import _buffers
from callbridge._core._fork_lock import ProcessLock

if TYPE_CHECKING:
    from callbridge._calls._devices import DeviceArrays
    from callbridge._calls._python_calls import BoundCall, Caller
else:
    _classes = _python_calls if _extension.MODULE is None else _extension.MODULE
    BoundCall, Caller = _classes.BoundCall, _classes.Caller

__all__ = ["CAPACITY", "BoundCall", "Caller", "caller", "forms"]

# The number of forms that one function of custom_call() keeps bound.
CAPACITY = 256


def caller(
    bind: Callable[[tuple], Any], kind: DeviceArrays | None = None
) -> Callable[[tuple], Any]:
    """A function that calls a target on a tuple of operands, bound to the forms that come.

    It is thread-safe as far as the target is.

    Args:
      bind: returns a BoundCall of NumPy arrays; with a kind a _python_calls.BoundCall of that.
    """
    by_form, bind_new = forms(bind)
    if kind is not None:
        return _python_calls.Caller(by_form, kind.prepare, bind_new).call
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
