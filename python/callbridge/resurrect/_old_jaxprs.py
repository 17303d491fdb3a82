"""Constructors of jaxprs' parts that took others by position."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any

from jax._src import core


def var(original: Callable) -> Callable:
    """Takes Var(count, suffix, aval), as JAX 0.4.13, Var(suffix, aval), as until 0.5, or Var(aval),
    whichever of them JAX takes."""
    parameters = list(inspect.signature(original).parameters)
    before = parameters[1 : parameters.index("aval")]  # self is the first
    position = len(before)
    of_jax = inspect.unwrap(original)

    @functools.wraps(original)
    def wrapper(self: Any, *args: Any, **keywords: Any) -> None:
        # As JAX itself calls it, in each traced bind.
        if not keywords and len(args) > position and not isinstance(args[position], (int, str)):
            return of_jax(self, *args)
        given = 0
        while given < len(args) and isinstance(args[given], (int, str)):
            given += 1
        if len(args) > given or "aval" in keywords:
            values = dict(zip(("count", "suffix")[2 - given :], args[:given]))  # noqa: B905, for Python 3.9
            if "count" in before and "count" not in {**values, **keywords}:
                values["count"] = next(_counts)
            if "suffix" in before and "suffix" not in keywords:
                values.setdefault("suffix", "")
            args = args[given:]
            keywords.update({name: value for name, value in values.items() if name in before})
            if args:
                keywords["aval"], *args = args  # type: ignore[assignment]
        return original(self, *args, **keywords)

    return wrapper


# Of variables without a count, after those that JAX counts.
_counts = itertools.count(1 << 40)


def jaxpr_eqn(original: Any) -> Any:
    """Takes an equation without a context, as JAX 0.4.13. Its context is the present one."""
    is_static = isinstance(original, staticmethod)
    function = original.__func__ if is_static else original
    if "ctx" not in inspect.signature(function).parameters:
        return None

    @functools.wraps(function)
    def wrapper(self: Any, *args: Any, **keywords: Any) -> Any:
        if len(args) == 6 and "ctx" not in keywords:
            keywords["ctx"] = core.new_jaxpr_eqn(*args).ctx
        return function(self, *args, **keywords)

    return staticmethod(wrapper) if is_static else wrapper
