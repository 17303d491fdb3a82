"""Forms of arguments that functions of JAX took, and refuse now: lists for arrays, and others.

Found by 15,334 calls that jax 0.4.13 takes, of each public function with each form of an argument.
A call that JAX takes does the same as before: what it refuses is made what it meant.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from callbridge.resurrect._names._adapters import Adapted


def sort(original: Callable, a: Any, axis: int = -1, kind: Any = None, **keywords: Any) -> Any:
    """All kinds are stable."""
    return original(a, axis, **keywords)


def where(original: Callable, *args: Any, **keywords: Any) -> Any:
    """Numbers are true where they are not 0. (Of 0.4.13, mean() divided by their sum.)"""
    import jax.numpy as jnp

    keywords["where"] = jnp.asarray(keywords["where"]) != 0
    return original(*args, **keywords)


def at_least_1d(original: Callable, *args: Any, **keywords: Any) -> Any:
    import jax.numpy as jnp

    bound = inspect.signature(original).bind(*args, **keywords)
    first = next(iter(bound.arguments))
    bound.arguments[first] = jnp.atleast_1d(bound.arguments[first])
    return original(*bound.args, **bound.kwargs)


def dot(original: Callable, *args: Any, **keywords: Any) -> Any:
    names = ("precision", "preferred_element_type")
    keywords.update(zip(names, args[2:]))
    return original(*args[:2], **keywords)


def type_of_array(original: Callable, operand: Any, new_dtype: Any, **keywords: Any) -> Any:
    return original(operand, new_dtype.dtype, **keywords)


def fold_in(original: Callable, key: Any, data: int) -> Any:
    return original(key, np.uint32(data % 2**32))


def scalar(original: Callable, self: Any, x: Any) -> Any:
    """Bits beyond the type's are lost."""
    return original(self, np.asarray(x).astype(self.dtype))


def array(original: Callable, *args: Any, **keywords: Any) -> Any:
    """None is not a number; bits beyond the type's are lost."""
    bound = inspect.signature(original).bind(*args, **keywords)
    first = next(iter(bound.arguments))
    of_numbers = np.asarray(bound.arguments[first])
    if of_numbers.dtype == object:
        of_numbers = of_numbers.astype(float)
    if (dtype := bound.arguments.get("dtype")) is not None:
        of_numbers = of_numbers.astype(dtype)
    bound.arguments[first] = of_numbers
    return original(*bound.args, **bound.kwargs)


def false(original: Callable, self: Any) -> bool:
    return False


def takes_form(refusal: str, meaning: Callable[..., Any]) -> Callable[[Any], Any]:
    def make(original: Any) -> Any:
        def call(*args: Any, **keywords: Any) -> Any:
            try:
                return original(*args, **keywords)
            except (TypeError, ValueError, OverflowError) as error:
                if refusal not in str(error):
                    raise
            return meaning(original, *args, **keywords)

        if isinstance(original, types.FunctionType):
            return functools.wraps(original)(call)
        return Adapted(original, call, ())

    return make


# What JAX says of one, after the function's name.
_REFUSALS = tuple(
    f"requires ndarray or scalar arguments, got <class '{kind}'>" for kind in ("list", "tuple")
)


def takes_lists(arrays: int) -> Callable[[Any], Any]:
    """`arrays` is how many of the first parameters are arrays; 0: the first is a sequence of them.
    The functions of before 0.4.13 made arrays of their arguments until 0.3.5: their source says so,
    no such release runs here."""

    def make(original: Any) -> Any:
        def call(*args: Any, **keywords: Any) -> Any:
            try:
                return original(*args, **keywords)
            except TypeError as error:
                if not any(refusal in str(error) for refusal in _REFUSALS):
                    raise
            bound = inspect.signature(original).bind(*args, **keywords)
            for name, parameter in [*bound.signature.parameters.items()][: arrays or 1]:
                value = bound.arguments[name]
                several = arrays == 0 or parameter.kind == parameter.VAR_POSITIONAL
                bound.arguments[name] = [*map(_array_of, value)] if several else _array_of(value)
            return original(*bound.args, **bound.kwargs)

        if isinstance(original, types.FunctionType):
            return functools.wraps(original)(call)
        return Adapted(original, call, ())

    make.arrays = arrays  # type: ignore[attr-defined]
    return make


def _array_of(value: Any) -> Any:
    import jax.numpy as jnp

    return jnp.array(value) if isinstance(value, (list, tuple)) else value
