"""Keys and functions of jax.random, gone and newer, made of those that this JAX has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

Array = jax.Array


# ---- Functions that an older JAX lacks -----------------------------------------------------------


def clone(key: Any) -> Any:
    """Returns the key, which may be used once more."""
    return jax.tree_util.tree_map(lambda leaf: leaf, key)


def lognormal(key: Any, sigma: Any = 1.0, shape: Any = None, dtype: Any = float) -> Array:
    """Returns exponentials of normal values of that deviation."""
    sigma = jnp.asarray(sigma)
    dtype = jax.dtypes.canonicalize_dtype(dtype)
    shape = sigma.shape if shape is None else shape
    return jnp.exp(sigma.astype(dtype) * jax.random.normal(key, shape, dtype))


def triangular(
    key: Any, left: Any, mode: Any, right: Any, shape: Any = None, dtype: Any = float
) -> Array:
    """Returns values of the triangular distribution."""
    left, mode, right = map(jnp.asarray, (left, mode, right))
    dtype = jax.dtypes.canonicalize_dtype(dtype)
    if shape is None:
        shape = jnp.broadcast_shapes(left.shape, mode.shape, right.shape)
    left, mode, right = (jnp.broadcast_to(v, shape).astype(dtype) for v in (left, mode, right))
    at_mode = (mode - left) / (right - left)
    u = jax.random.uniform(key, shape, dtype)
    from_left = left + jnp.sqrt(u * (right - left) * (mode - left))
    from_right = right - jnp.sqrt((1 - u) * (right - left) * (right - mode))
    return jnp.where(u < at_mode, from_left, from_right)


# ---- Functions that are gone ---------------------------------------------------------------------


def default_prng_impl() -> Any:
    """The implementation of keys that jax_default_prng_impl names."""
    from jax._src import random

    return random.default_prng_impl()


def shuffle(key: Any, x: Any, axis: int = 0) -> Any:
    return jax.random.permutation(key, x, axis, independent=True)


def _key_by(impl: str) -> Callable:
    def make(seed: Any) -> Any:
        """A key with a type where such keys are the default, else its data."""
        config: Any = jax.config
        is_typed = config.jax_enable_custom_prng
        if not is_typed and config.jax_default_prng_impl != impl:
            raise RuntimeError(
                f"a key of {impl} without a type, which would be taken for one of "
                f"{config.jax_default_prng_impl}; use jax.random.key(seed, impl={impl!r})"
            )
        key = jax.random.key(seed, impl=impl)
        return key if is_typed else jax.random.key_data(key)

    return make


rbg_key = _key_by("rbg")
threefry2x32_key = _key_by("threefry2x32")
unsafe_rbg_key = _key_by("unsafe_rbg")


# ---- PRNGKeyArray, the class of keys that have a type and of their tracers -----------------------


def _keys() -> Any:
    """JAX's own class of keys, which is a jax.Array."""
    from jax._src import prng  # type: ignore[attr-defined]

    return prng.PRNGKeyArray


class _OfKeys(type):
    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is PRNGKeyArray:
            raise TypeError("cannot make a PRNGKeyArray; use jax.random.key")
        return super().__call__(*args, **kwargs)

    def __instancecheck__(cls, instance: Any) -> bool:
        if cls is not PRNGKeyArray:
            return super().__instancecheck__(instance)
        if isinstance(instance, jax.core.Tracer):
            dtype = getattr(instance.aval, "dtype", None)
            return dtype is not None and jax.numpy.issubdtype(dtype, jax.dtypes.prng_key)
        return isinstance(instance, _keys())

    def __subclasscheck__(cls, subclass: type) -> bool:
        is_of_jax = cls is PRNGKeyArray and _keys() in subclass.__mro__
        return is_of_jax or super().__subclasscheck__(subclass)


class PRNGKeyArray(metaclass=_OfKeys):
    __module__ = "jax.random"
