"""Functions of jax.lax, jax.nn and jax.ops, gone and newer, made of those that this JAX has.

Primitives that are gone, by whatever module they were found, are here too.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src import core, effects

from callbridge._core._error import find_platform
from callbridge.jax._runtimes import EFFECT_LISTS

Array = jax.Array


def _floating(x: Any) -> Array:
    x = jnp.asarray(x)
    return x if jnp.issubdtype(x.dtype, jnp.inexact) else x.astype(jnp.result_type(x, float))


# ---- jax.lax, of an older JAX --------------------------------------------------------------------


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


def axis_size(axis_name: Any) -> int:
    """Returns the size of a named axis, or the product of those of several."""
    return jax.lax.psum(1, axis_name)


def platform_dependent(
    *args: Any, default: Callable | None = None, **per_platform: Callable
) -> Any:
    """Returns what the function for the default backend's platform returns.

    Where JAX has no programs for several platforms, the platform is known when the program is
    traced.

    Raises:
      NotImplementedError: without a function for that platform and a default.
    """
    backend = jax.default_backend()
    for name, function in per_platform.items():
        if name == backend or find_platform(name) == find_platform(backend) is not None:
            return function(*args)
    if default is None:
        raise NotImplementedError(
            f"translation rule not found for platform {backend}, platform_dependent() has "
            f"{', '.join(sorted(per_platform)) or 'none'}"
        )
    return default(*args)


# ---- jax.lax, of a newer JAX ---------------------------------------------------------------------


def tie_in(x: Any, y: Any) -> Any:
    """`y`; tracing orders values by itself."""
    return y


def scan_bind(*args: Any, **params: Any) -> Any:
    return jax.lax.scan_p.bind(*args, **params)


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


# ---- Primitives that JAX has no more, and the effect of those that XLA must keep -----------------


def gone_primitive(name: str) -> Any:
    """Returns a primitive that JAX has no more, by which programs register rules, and know
    equations by. No equation has it, and to bind it is an error."""
    primitive: Any = core.Primitive(name)
    primitive.multiple_results = True

    def refuse(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(
            f"callbridge.resurrect cannot restore the primitive {name}, only its name: "
            "JAX makes such equations no more"
        )

    primitive.def_impl(refuse)
    primitive.def_abstract_eval(refuse)
    return primitive


custom_jvp_call_jaxpr_p = gone_primitive("custom_jvp_call_jaxpr")
custom_vjp_call_jaxpr_p = gone_primitive("custom_vjp_call_jaxpr")
infeed_p = gone_primitive("infeed")
outfeed_p = gone_primitive("outfeed")
outside_call_p = gone_primitive("outside_call")
random_gamma_grad_p = gone_primitive("random_gamma_grad")
select_p = gone_primitive("select")
xla_call_p = gone_primitive("xla_call")
xla_pmap_p = gone_primitive("xla_pmap")


@dataclasses.dataclass(frozen=True)
class GenericEffect(effects.Effect):
    """That of the calls of one primitive, which XLA must keep. An older JAX lacks it.

    Attributes:
      prim: the primitive.
    """

    prim: Any


if not hasattr(core, "GenericEffect"):
    for _name in EFFECT_LISTS:
        getattr(effects, _name).add_type(GenericEffect)
