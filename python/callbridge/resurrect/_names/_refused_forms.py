"""Forms of arguments that functions of JAX took, and refuse now; _lists.py has lists for arrays.

Found by 15,334 calls that jax 0.4.13 takes, of each public function with each form of an argument.
A call that JAX takes does the same as before: what it refuses is made what it meant.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from callbridge.resurrect._names._adapters import Adapted


def _sort(original: Callable, a: Any, axis: int = -1, kind: Any = None, **keywords: Any) -> Any:
    """All kinds are stable."""
    return original(a, axis, **keywords)


def _where(original: Callable, *args: Any, **keywords: Any) -> Any:
    """Numbers are true where they are not 0. (Of 0.4.13, mean() divided by their sum.)"""
    import jax.numpy as jnp

    keywords["where"] = jnp.asarray(keywords["where"]) != 0
    return original(*args, **keywords)


def _at_least_1d(original: Callable, *args: Any, **keywords: Any) -> Any:
    import jax.numpy as jnp

    bound = inspect.signature(original).bind(*args, **keywords)
    first = next(iter(bound.arguments))
    bound.arguments[first] = jnp.atleast_1d(bound.arguments[first])
    return original(*bound.args, **bound.kwargs)


def _dot(original: Callable, *args: Any, **keywords: Any) -> Any:
    names = ("precision", "preferred_element_type")
    keywords.update(zip(names, args[2:]))
    return original(*args[:2], **keywords)


def _type_of_array(original: Callable, operand: Any, new_dtype: Any, **keywords: Any) -> Any:
    return original(operand, new_dtype.dtype, **keywords)


def _fold_in(original: Callable, key: Any, data: int) -> Any:
    return original(key, np.uint32(data % 2**32))


def _scalar(original: Callable, self: Any, x: Any) -> Any:
    """Bits beyond the type's are lost."""
    return original(self, np.asarray(x).astype(self.dtype))


def _array(original: Callable, *args: Any, **keywords: Any) -> Any:
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


def _false(original: Callable, self: Any) -> bool:
    return False


_OF_ARRAYS = "jax.numpy jax._src.numpy.lax_numpy"
_NOT_BOOLEAN = "where must be None or a boolean array"
_KIND = "argument to {} is not supported. Use stable="
_EMPTY = "truth value of an empty array is ambiguous"
_ZERO_DIMENSIONS = "on 0d arrays is not allowed"
_OUT_OF_BOUNDS = "out of bounds for"
_NONE = "None is not a valid value for jnp.array"
_REDUCTIONS = (
    "all amax amin any max mean min nanmax nanmean nanmin nanprod nanstd nansum nanvar prod std "
    "sum var"
)
_OF_REDUCTIONS = "jax.numpy jax._src.numpy.reductions"
# The modules that have the functions, for JAX's methods too; the first release that refuses the
# form, names, what its error says, and what makes of the call what it meant.
_ROWS: list[tuple[str, str, str, str, Callable[..., Any]]] = [
    (_OF_ARRAYS, "0.4.30", "sort", _KIND.format("sort"), _sort),
    (_OF_ARRAYS, "0.4.30", "argsort", _KIND.format("argsort"), _sort),
    (_OF_ARRAYS, "0.4.30", "nonzero", _ZERO_DIMENSIONS, _at_least_1d),
    ("jax.numpy", "0.4.30", "where", _ZERO_DIMENSIONS, _at_least_1d),
    (_OF_REDUCTIONS, "0.8.3", _REDUCTIONS, _NOT_BOOLEAN, _where),
    ("jax.lax", "0.9.2", "dot", "dot() takes 2 positional arguments but", _dot),
    ("jax.lax", "0.8.3", "convert_element_type", "Passing an array as a dtype", _type_of_array),
    ("jax.random", "0.7.2", "fold_in", _OUT_OF_BOUNDS, _fold_in),
    ("jax._src.numpy.scalar_types._ScalarMeta", "0.7.2", "__call__", _OUT_OF_BOUNDS, _scalar),
    ("jax.numpy", "0.7.2", "array asarray", _OUT_OF_BOUNDS, _array),
    ("jax.numpy", "0.6.2", "array asarray", _NONE, _array),
    ("jax._src.array.ArrayImpl", "0.4.30", "__bool__", _EMPTY, _false),
]


def _taken(refusal: str, meaning: Callable[..., Any]) -> Callable[[Any], Any]:
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


def rows() -> Iterator[tuple[str, str, str, Callable]]:
    """As those of _lost_parameters.BY_POSITION."""
    for owners, since, names, refusal, meaning in _ROWS:
        for owner in owners.split():
            yield from ((owner, since, name, _taken(refusal, meaning)) for name in names.split())
