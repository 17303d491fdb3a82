"""Public functions of jax.numpy, jax.random, jax.ops and others that are gone, made anew."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Optional, Union

import jax
import numpy as np

# ---- jax.numpy -----------------------------------------------------------------------------------

NINF = -np.inf
NZERO, PZERO = -0.0, 0.0
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


def _key_by(impl: str) -> Callable:
    def make(seed: Any) -> Any:
        """A key with a type where such keys are the default, else its data."""
        is_typed = jax.config.jax_enable_custom_prng
        if not is_typed and jax.config.jax_default_prng_impl != impl:
            raise RuntimeError(
                f"a key of {impl} without a type, which would be taken for one of "
                f"{jax.config.jax_default_prng_impl}; use jax.random.key(seed, impl={impl!r})"
            )
        key = jax.random.key(seed, impl=impl)
        return key if is_typed else jax.random.key_data(key)

    return make


rbg_key = _key_by("rbg")
threefry2x32_key = _key_by("threefry2x32")
unsafe_rbg_key = _key_by("unsafe_rbg")


# ---- jax.scipy -----------------------------------------------------------------------------------


def tril(m: Any, k: int = 0) -> Any:
    return jax.numpy.tril(m, k)


def triu(m: Any, k: int = 0) -> Any:
    return jax.numpy.triu(m, k)


def sph_harm(m: Any, n: Any, theta: Any, phi: Any, n_max: int | None = None) -> Any:
    """Spherical harmonics, of order m and degree n, of the azimuth and of the polar angle."""
    return jax.scipy.special.sph_harm_y(n, m, phi, theta, n_max=n_max)


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


class GetitemKeyPathEntry(NamedTuple):
    """What a leaf of a dict or a list was named by."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"


def build_tree(treedef: Any, xs: Any) -> Any:
    """The tree of that structure, of leaves that stand in a tree of tuples like it."""
    return jax.tree_util.tree_unflatten(treedef, jax.tree_util.tree_leaves(xs))


def split_dict(dct: dict, names: Sequence) -> list:
    """The values by these names, which are all that the dict has."""
    assert dct.keys() == {*names}, (dct.keys(), names)
    return [dct[name] for name in names]


def split_merge(predicate: Callable, xs: Sequence) -> tuple[list, list, Callable]:
    """Those that are true, the others, and a function that puts two such lists together again."""
    is_left = [bool(predicate(x)) for x in xs]
    left = [x for x, yes in zip(xs, is_left) if yes]
    right = [x for x, yes in zip(xs, is_left) if not yes]

    def merge(new_left: Sequence, new_right: Sequence) -> list:
        lefts, rights = iter(new_left), iter(new_right)
        return [next(lefts) if yes else next(rights) for yes in is_left]

    return left, right, merge


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


# ---- jax.experimental ----------------------------------------------------------------------------


def enable_x64(new_val: bool = True) -> Any:
    return jax.enable_x64(new_val)


def disable_x64(new_val: bool = False) -> Any:
    return jax.enable_x64(new_val)


def use_mesh(mesh: Any) -> Any:
    return jax.set_mesh(mesh)


# ---- jax.extend.backend --------------------------------------------------------------------------

_clearings: weakref.WeakKeyDictionary[Callable, _Clearing] = weakref.WeakKeyDictionary()


class _Clearing:
    """To JAX a cache; a callback to whoever asked for it."""

    def __init__(self, callback: Callable[[], Any]):
        self._callback = weakref.ref(callback)

    def cache_clear(self) -> None:
        callback = self._callback()
        if callback is not None:
            callback()


def add_clear_backends_callback(callback: Callable[[], Any]) -> None:
    """Has it called when backends or caches are cleared, while somebody else holds it."""
    from jax._src.util import register_cache

    clearing = _clearings.setdefault(callback, _Clearing(callback))
    register_cache(clearing, "a callback")


# ---- jax.experimental.maps -----------------------------------------------------------------------


def __getattr__(name: str) -> Any:
    if name == "thread_resources":
        from jax._src.mesh import thread_resources

        return thread_resources
    raise AttributeError(name)


# ---- What packages registered for their primitives with jax.experimental.shard_map, up to 2025

# jax.shard_map asks the abstract values of results what they vary over, and has no such rules.


# Values of whatever kind, and over which axes one is replicated: of annotations.
MaybeTracer = Union[Any, jax.core.Tracer]
RepType = Optional[set[Any]]  # noqa: UP045, for Python 3.9


def _decorator(prim: Any) -> Callable:
    """Of rules that nothing asks for."""
    return lambda rule: rule


register_check = register_rewrite = register_rule = _decorator


def register_standard(prim: Any) -> None:
    """Of a primitive whose results vary over all axes that an operand does."""


register_standard_check = register_standard_rewrite = register_norewrite = register_standard


def register_standard_collective(prim: Any) -> None:
    """Likewise, of one over named axes."""


register_reduction_collective = register_standard_collective


# ---- What jaxlib's modules for GPUs said of them -------------------------------------------------


# Whether programs may register the module's lowerings of sparse matrices, which jaxlib removed: a
# handler that JAX registers itself is in their place.
cuda_is_supported = False
rocm_is_supported = False
