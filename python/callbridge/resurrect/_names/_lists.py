"""Functions that took lists of numbers for arrays, and refuse them now."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

from callbridge.resurrect._names._adapters import Adapted

# Module, the first release that refuses them, how many of the first parameters are arrays (0: the
# first is a sequence of them), names. Those of before 0.4.13 made arrays of their arguments until
# 0.3.5: their source says so, no such release runs here.
ROWS = [
    ("jax.numpy", "0.6.2", 1, "tril_indices_from triu_indices_from"),
    ("jax.numpy", "0.6.2", 0, "dstack"),
    ("jax.numpy", "0.8.3", 1, "trim_zeros"),
    ("jax.numpy", "0.10.2", 1, "atleast_1d atleast_2d atleast_3d"),
    ("jax.numpy", "0.10.2", 0, "column_stack hstack vstack"),
    (
        "jax.numpy.linalg",
        "0.4.13",
        1,
        "cholesky det eig eigh eigvals eigvalsh inv matrix_power matrix_rank norm pinv qr slogdet "
        "svd",
    ),
    ("jax.numpy.linalg", "0.4.13", 2, "solve lstsq"),
    ("jax.numpy.fft", "0.4.13", 1, "fftshift ifftshift"),
]
# What JAX says of one, after the function's name.
_REFUSALS = tuple(
    f"requires ndarray or scalar arguments, got <class '{kind}'>" for kind in ("list", "tuple")
)


def _taken(arrays: int) -> Callable[[Any], Any]:
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
                bound.arguments[name] = [*map(_array, value)] if several else _array(value)
            return original(*bound.args, **bound.kwargs)

        if isinstance(original, types.FunctionType):
            return functools.wraps(original)(call)
        return Adapted(original, call, ())

    return make


def _array(value: Any) -> Any:
    import jax.numpy as jnp

    return jnp.array(value) if isinstance(value, (list, tuple)) else value


def rows() -> Iterator[tuple[str, str, str, Callable]]:
    """As those of _lost_parameters.BY_POSITION: what is given a function and returns one that takes
    lists too, where each call that JAX takes does the same as before."""
    for module, since, arrays, names in ROWS:
        yield from ((module, since, name, _taken(arrays)) for name in names.split())
