"""Public functions of jax.numpy, jax.random, jax.ops and others that are gone, made anew."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

# ---- jax.numpy -----------------------------------------------------------------------------------

NINF = -np.inf
DeviceArray = jax.Array
fix = jax.numpy.trunc
row_stack = jax.numpy.vstack
partial = functools.partial


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    return jax.numpy.isin(jax.numpy.ravel(ar1), ar2, assume_unique=assume_unique, invert=invert)


def issubsctype(arg1: Any, arg2: Any) -> bool:
    return bool(jax.numpy.issubdtype(_scalar_type(arg1), _scalar_type(arg2)))


def _scalar_type(value: Any) -> Any:
    if isinstance(value, type) and issubclass(value, np.generic):
        return value
    return np.dtype(getattr(value, "dtype", value)).type


def msort(a: Any) -> Any:
    return jax.numpy.sort(a, axis=0)


def trapz(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    return jax.numpy.trapezoid(y, x, dx, axis)


# ---- jax.random ----------------------------------------------------------------------------------


def default_prng_impl() -> Any:
    """The implementation of keys that jax_default_prng_impl names."""
    from jax._src import random

    return random.default_prng_impl()


def shuffle(key: Any, x: Any, axis: int = 0) -> Any:
    return jax.random.permutation(key, x, axis, independent=True)


# ---- jax.ops -------------------------------------------------------------------------------------


class _Index:
    """`index[1:2, ...]` is what stands between the brackets."""

    def __getitem__(self, index: Any) -> Any:
        return index


index = _Index()


def index_update(x: Any, idx: Any, y: Any, *_: Any, **__: Any) -> Any:
    return jax.numpy.asarray(x).at[idx].set(y)


def index_add(x: Any, idx: Any, y: Any, *_: Any, **__: Any) -> Any:
    return jax.numpy.asarray(x).at[idx].add(y)


def index_mul(x: Any, idx: Any, y: Any, *_: Any, **__: Any) -> Any:
    return jax.numpy.asarray(x).at[idx].multiply(y)


def index_min(x: Any, idx: Any, y: Any, *_: Any, **__: Any) -> Any:
    return jax.numpy.asarray(x).at[idx].min(y)


def index_max(x: Any, idx: Any, y: Any, *_: Any, **__: Any) -> Any:
    return jax.numpy.asarray(x).at[idx].max(y)


# ---- Trees ---------------------------------------------------------------------------------------


def register_keypaths(ty: type, handler: Callable) -> None:
    """Did name the leaves of trees in key paths. The class's own registration says it now: JAX
    numbers the leaves of classes that do not."""


class AttributeKeyPathEntry(NamedTuple):
    """What a handler of register_keypaths() named a leaf by."""

    key: Any

    def __str__(self) -> str:
        return f".{self.key}"


def replace_nones(sentinel: Any, tree: Any) -> Any:
    """The lists and tuples of the tree, with `sentinel` for None."""
    if tree is None:
        return sentinel
    if isinstance(tree, (list, tuple)):
        parts = [replace_nones(sentinel, part) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return tree


# ---- jax.core, jax.api and jax.dlpack ------------------------------------------------------------

Shape = Sequence[int]
# The value that had no value, and its variable: JAX has none since 2022.
unit = type("Unit", (), {"__repr__": lambda self: "*"})()
unitvar = type("UnitVar", (), {"__repr__": lambda self: "*"})()


def check_callable(fun: Any) -> None:
    if not callable(fun):
        raise TypeError(f"Expected a callable value, got {fun}")


def is_python_scalar(x: Any) -> bool:
    return isinstance(x, (bool, int, float, complex)) and not isinstance(x, np.generic)


def vjp(fun: Any, *primals: Any, has_aux: bool = False) -> tuple:
    """jax.vjp of a WrappedFun."""
    return jax.vjp(fun.call_wrapped, *primals, has_aux=has_aux)


def to_dlpack(x: Any, *_: Any, **__: Any) -> Any:
    return x.__dlpack__()


# ---- jax.experimental.maps -----------------------------------------------------------------------


def __getattr__(name: str) -> Any:
    if name == "thread_resources":
        from jax._src.mesh import thread_resources

        return thread_resources
    raise AttributeError(name)
