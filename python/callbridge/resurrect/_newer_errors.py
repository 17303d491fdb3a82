"""The error of bool() of a tracer, which an older JAX has no class of its own for."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from jax.errors import ConcretizationTypeError


class TracerBoolConversionError(ConcretizationTypeError):
    __module__ = "jax.errors"


def raises_error_of_bool(original: Callable) -> Callable:
    """Of the method of abstract values that raises where bool() is asked of their tracers."""

    @functools.wraps(original)
    def wrapper(self: Any, arg: Any) -> Any:
        try:
            return original(self, arg)
        except ConcretizationTypeError as error:
            # With JAX's text, which the constructor would make of the tracer.
            kind = TracerBoolConversionError
            raise kind.__new__(kind, *error.args) from None

    return wrapper
