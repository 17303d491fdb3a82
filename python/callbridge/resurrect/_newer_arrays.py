"""Functions of jax.numpy that an older JAX has not got yet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp


def astype(x: Any, dtype: Any, /, *, copy: bool = False, device: Any = None) -> jax.Array:
    """Returns `x` as an array of `dtype`; the real part of complex numbers for a real one."""
    array = jnp.asarray(x)
    if jnp.iscomplexobj(array) and not jnp.issubdtype(dtype, jnp.complexfloating):
        array = array if jnp.issubdtype(dtype, jnp.bool_) else array.real
    converted = array.astype(dtype)
    if copy and converted is array:
        converted = array.copy()
    return converted if device is None else jax.device_put(converted, device)


def concat(arrays: Sequence[Any], /, *, axis: int | None = 0) -> jax.Array:
    """Joins arrays along an axis."""
    return jnp.concatenate(arrays, axis=axis)


def vecdot(
    x1: Any,
    x2: Any,
    /,
    *,
    axis: int = -1,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> jax.Array:
    """Returns the dot products, along an axis, of the conjugate of `x1` and of `x2`."""
    x1, x2 = jnp.asarray(x1), jnp.asarray(x2)
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"axes must match; got shapes {x1.shape} and {x2.shape} with axis={axis}")
    x1, x2 = jnp.moveaxis(x1, axis, -1), jnp.moveaxis(x2, axis, -1)
    product = jnp.matmul(jnp.conj(x1)[..., None, :], x2[..., :, None], precision=precision)[
        ..., 0, 0
    ]
    return product if preferred_element_type is None else product.astype(preferred_element_type)


def matvec(x1: Any, x2: Any, /) -> jax.Array:
    """Returns the products of the matrices `x1` and the vectors `x2`."""
    return jnp.vectorize(jnp.matmul, signature="(n,m),(m)->(n)")(x1, x2)


def vecmat(x1: Any, x2: Any, /) -> jax.Array:
    """Returns the products of the conjugates of the vectors `x1` and the matrices `x2`."""
    return jnp.vectorize(jnp.matmul, signature="(n),(n,m)->(m)")(jnp.conj(x1), x2)
