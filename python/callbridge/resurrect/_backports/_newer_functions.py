"""Functions of jax.nn, jax.lax and jax.random that an older JAX lacks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Array = jax.Array


def _floating(x: Any) -> Array:
    x = jnp.asarray(x)
    return x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(jnp.result_type(x, float))


# ---- jax.nn --------------------------------------------------------------------------------------


def mish(x: Any) -> Array:
    """Returns x * tanh(softplus(x))."""
    x = _floating(x)
    return x * jnp.tanh(jax.nn.softplus(x))


def sparse_plus(x: Any) -> Array:
    """Returns 0 up to -1, x from 1 on, and a quarter of (x + 1) squared between."""
    x = _floating(x)
    return jnp.where(x <= -1.0, 0.0, jnp.where(x >= 1.0, x, (x + 1.0) ** 2 / 4)).astype(x.dtype)


def sparse_sigmoid(x: Any) -> Array:
    """Returns the derivative of sparse_plus()."""
    return 0.5 * jnp.clip(jnp.asarray(x) + 1.0, 0.0, 2.0)


def squareplus(x: Any, b: Any = 4) -> Array:
    """Returns (x + sqrt(x ** 2 + b)) / 2."""
    x, b = _floating(x), jnp.asarray(b)
    y = x + jnp.sqrt(jnp.square(x) + b)
    return y / 2


def identity(x: Any) -> Array:
    """Returns `x` as an array."""
    return jnp.asarray(x)


def log1mexp(x: Any) -> Array:
    """Returns log(1 - exp(-x)) with its digits, also near 0."""
    x = _floating(x)
    c = math.log(2.0)
    return jnp.where(x < c, jnp.log(-jnp.expm1(-x)), jnp.log1p(-jnp.exp(-x)))


def logmeanexp(x: Any, axis: Any = None, where: Any = None, keepdims: bool = False) -> Array:
    """Returns the logarithm of the mean of the exponentials."""
    count: Any
    if where is not None:
        count = jnp.sum(jnp.broadcast_to(where, jnp.shape(x)), axis=axis, keepdims=keepdims)
        x = jnp.where(where, x, -jnp.inf)
    else:
        axes = range(jnp.ndim(x)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        sizes: Any = jnp.shape(x)
        count = math.prod(sizes[i] for i in axes)
    total = jax.scipy.special.logsumexp(x, axis=axis, keepdims=keepdims)
    return total - jnp.log(jnp.asarray(count, total.dtype))


def truncated_normal(
    stddev: Any = 1e-2, dtype: Any = float, lower: Any = -2.0, upper: Any = 2.0
) -> Callable[..., Array]:
    """Returns an initializer of normal values between bounds."""

    def init(key: Any, shape: Any, dtype: Any = dtype, out_sharding: Any = None) -> Array:
        dtype = jax.dtypes.canonicalize_dtype(dtype)
        return jax.random.truncated_normal(key, lower, upper, shape, dtype) * jnp.array(
            stddev, dtype
        )

    return init


# ---- jax.lax -------------------------------------------------------------------------------------


def split(operand: Any, sizes: Sequence[int], axis: int = 0) -> list[Array]:
    """Splits the array along an axis into parts of these sizes, which must make up the axis."""
    sizes = tuple(sizes)
    if sum(sizes) != operand.shape[axis] or any(size < 0 for size in sizes):
        raise ValueError(
            f"split: expected sizes that sum up to {operand.shape[axis]} along axis {axis}, got "
            f"{sizes}"
        )
    ends = np.cumsum(sizes)
    return [lax.slice_in_dim(operand, e - s, e, axis=axis) for s, e in zip(sizes, ends)]


def tile(operand: Any, reps: Sequence[int]) -> Array:
    """Repeats the array along each of its dimensions."""
    if len(tuple(reps)) != jnp.ndim(operand):
        raise ValueError(
            f"tile: expected a repetition for each of {jnp.ndim(operand)} dimensions, got {reps}"
        )
    return jnp.tile(operand, tuple(reps))


def scatter_sub(
    operand: Any, scatter_indices: Any, updates: Any, dimension_numbers: Any, **keywords: Any
) -> Array:
    """Subtracts the updates at the indices."""
    return lax.scatter_add(operand, scatter_indices, -updates, dimension_numbers, **keywords)


def _reduction(name: str) -> Any:
    def reduce(operand: Any, axes: Sequence[int]) -> Array:
        primitive = getattr(lax, f"{name}_p")
        return primitive.bind(jnp.asarray(operand), axes=tuple(axes))

    reduce.__name__ = reduce.__qualname__ = name
    return reduce


reduce_and, reduce_or = _reduction("reduce_and"), _reduction("reduce_or")
reduce_max, reduce_min = _reduction("reduce_max"), _reduction("reduce_min")
reduce_prod, reduce_xor = _reduction("reduce_prod"), _reduction("reduce_xor")
reduce_sum = _reduction("reduce_sum")


def polygamma(m: Any, x: Any) -> Array:
    """Returns the m-th derivative of digamma at `x`; m is a floating-point number too."""
    m, x = jnp.asarray(m), jnp.asarray(x)
    sign = jnp.where(m % 2 == 0, -1.0, 1.0).astype(x.dtype)
    derivative = sign * jnp.exp(lax.lgamma(m + 1.0)) * jax.scipy.special.zeta(m + 1.0, x)
    return jnp.where(m == 0, lax.digamma(x), derivative)


def empty(shape: Any, dtype: Any) -> Array:
    """Returns an array of any values: zeros."""
    return lax.full(shape if isinstance(shape, Sequence) else (shape,), 0, dtype)


def stack(operands: Sequence[Any], axis: int = 0) -> Array:
    """Joins arrays of a shape along a new axis."""
    return jnp.stack(tuple(operands), axis=axis)


def unstack(operand: Any, axis: int = 0) -> list[Array]:
    """Returns the parts along an axis."""
    return list(jnp.moveaxis(jnp.asarray(operand), axis, 0))


def pvary(x: Any, axis_name: Any) -> Any:
    """Returns `x`: whether a value varies over an axis, shard_map finds by itself here."""
    return x


def pcast(x: Any, axis_name: Any = None, *, to: str) -> Any:
    """Returns `x`, as varying over the axes: to="varying", which all may be here.

    Raises:
      NotImplementedError: for other values of `to`.
    """
    if to != "varying":
        raise NotImplementedError(
            f'lax.pcast: jax {jax.__version__} knows to="varying" alone, got {to!r}'
        )
    vary = getattr(lax, "pvary", None)
    return x if vary is None else vary(x, axis_name)


# ---- jax.random ----------------------------------------------------------------------------------


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
