"""Functions of jax.numpy and jax.numpy.linalg, gone and newer, made of those that this JAX has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

Array = jax.Array


# ---- Names that are gone -------------------------------------------------------------------------

NINF = -np.inf
NZERO, PZERO = -0.0, 0.0
DeviceArray = jax.Array
fix = jax.numpy.trunc
row_stack = jax.numpy.vstack


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


# ---- Functions that an older JAX lacks -----------------------------------------------------------


class UniqueAll(NamedTuple):
    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    values: Array
    inverse_indices: Array


def _unique(x: Any, size: int | None, fill_value: Any, **returned: bool) -> Any:
    return jnp.unique(jnp.asarray(x).ravel(), size=size, fill_value=fill_value, **returned)


def unique_all(x: Any, /, *, size: int | None = None, fill_value: Any = None) -> UniqueAll:
    """Returns the sorted values, where each is first, which one each element is, and how often."""
    values, indices, inverse, counts = _unique(
        x, size, fill_value, return_index=True, return_inverse=True, return_counts=True
    )
    return UniqueAll(values, indices, inverse.reshape(jnp.shape(x)), counts)


def unique_counts(x: Any, /, *, size: int | None = None, fill_value: Any = None) -> UniqueCounts:
    """Returns the sorted values, and how often each is there."""
    return UniqueCounts(*_unique(x, size, fill_value, return_counts=True))


def unique_inverse(x: Any, /, *, size: int | None = None, fill_value: Any = None) -> UniqueInverse:
    """Returns the sorted values, and which one each element is."""
    values, inverse = _unique(x, size, fill_value, return_inverse=True)
    return UniqueInverse(values, inverse.reshape(jnp.shape(x)))


def unique_values(x: Any, /, *, size: int | None = None, fill_value: Any = None) -> Array:
    """Returns the sorted values."""
    return _unique(x, size, fill_value)


def _inexact(*arrays: Any) -> list[Array]:
    dtype = (
        jnp.result_type(*arrays, float) if not _has_inexact(arrays) else jnp.result_type(*arrays)
    )
    return [jnp.asarray(array, dtype) for array in arrays]


def _has_inexact(arrays: Sequence[Any]) -> bool:
    return jnp.issubdtype(jnp.result_type(*arrays), jnp.inexact)


def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Array:
    """Returns the integral by the trapezoidal rule."""
    if x is None:
        (y,) = _inexact(y)
        widths: Any = jnp.asarray(dx).astype(y.dtype)
    else:
        y, x = _inexact(y, x)
        widths = jnp.diff(x) if x.ndim == 1 else jnp.moveaxis(jnp.diff(x, axis=axis), axis, -1)
    y = jnp.moveaxis(y, axis, -1)
    return 0.5 * (widths * (y[..., 1:] + y[..., :-1])).sum(-1)


_KINDS = {
    "bool": (np.bool_,),
    "signed integer": (np.signedinteger,),
    "unsigned integer": (np.unsignedinteger,),
    "integral": (np.integer,),
    "real floating": (np.floating,),
    "complex floating": (np.complexfloating,),
    "numeric": (np.number,),
}


def isdtype(dtype: Any, kind: Any) -> bool:
    """Returns whether the dtype is of the kind, or of one of a tuple of kinds and dtypes."""
    dtype = jnp.dtype(dtype)
    for one in kind if isinstance(kind, tuple) else (kind,):
        if isinstance(one, str):
            if one not in _KINDS:
                raise ValueError(f"Unrecognized kind={one!r} expected one of {list(_KINDS)}")
            if any(jnp.issubdtype(dtype, of) for of in _KINDS[one]):
                return True
        elif dtype == jnp.dtype(one):
            return True
    return False


def _cumulative(
    operation: Any, start: Any, x: Any, axis: int | None, dtype: Any, include_initial: bool
) -> Array:
    x = jnp.asarray(x)
    if axis is None:
        if x.ndim != 1:
            raise ValueError(
                "The input array has rank > 1, and an axis was not specified: axis is required"
            )
        axis = 0
    result = operation(x, axis=axis, dtype=dtype)
    if include_initial:
        shape = tuple(1 if i == axis % x.ndim else n for i, n in enumerate(x.shape))
        result = jnp.concatenate([start(shape, result.dtype), result], axis=axis)
    return result


def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    """Returns the sums of the elements so far, after a zero if `include_initial`."""
    return _cumulative(jnp.cumsum, jnp.zeros, x, axis, dtype, include_initial)


def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    """Returns the products of the elements so far, after a one if `include_initial`."""
    return _cumulative(jnp.cumprod, jnp.ones, x, axis, dtype, include_initial)


def bitwise_count(x: Any, /) -> Array:
    """Returns how many bits of the absolute value are one."""
    x = jnp.asarray(x)
    return jax.lax.population_count(abs(x)).astype(np.uint8)


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Returns the parts along an axis."""
    x = jnp.asarray(x)
    if x.ndim == 0:
        raise ValueError(
            "Unstack requires arrays with rank > 0, however a scalar array was passed."
        )
    return tuple(jnp.moveaxis(x, axis, 0))


def fill_diagonal(a: Any, val: Any, wrap: bool = False, *, inplace: bool = True) -> Array:
    """Returns `a` with `val` on its diagonal; `inplace` must be False."""
    if inplace:
        raise NotImplementedError(
            "JAX arrays are immutable, must use inplace=False; e.g. a = fill_diagonal(a, 0, "
            "inplace=False)"
        )
    if wrap:
        raise NotImplementedError("wrap=True is not implemented, must use wrap=False")
    a, val = jnp.asarray(a), jnp.asarray(val).ravel()
    if a.ndim < 2:
        raise ValueError("array must be at least 2-d")
    if a.ndim > 2 and len(set(a.shape)) != 1:
        raise ValueError("All dimensions must be equal")
    count = min(a.shape)
    at = np.arange(count)
    values = val[jnp.arange(count) % val.size].astype(a.dtype)
    return a.at[(at,) * a.ndim].set(values)


def put_along_axis(
    arr: Any, indices: Any, values: Any, axis: int | None, inplace: bool = True, *, mode: Any = None
) -> Array:
    """Returns `arr` with the values at the indices along an axis; `inplace` must be False."""
    if inplace:
        raise ValueError(
            "JAX arrays are immutable: expected inplace=False, and the result is returned"
        )
    arr, indices = jnp.asarray(arr), jnp.asarray(indices)
    if axis is None:
        flat = put_along_axis(arr.ravel(), indices, values, 0, inplace=False, mode=mode)
        return flat.reshape(arr.shape)
    axis %= arr.ndim
    grid = list(jnp.ogrid[tuple(slice(n) for n in indices.shape)])
    grid[axis] = indices
    return arr.at[tuple(grid)].set(jnp.asarray(values).astype(arr.dtype), mode=mode)


def spacing(x: Any, /) -> Array:
    """Returns the distance to the next number of larger magnitude, with the sign of `x`."""
    (x,) = _inexact(x)
    towards = jnp.where(jnp.signbit(x), -jnp.inf, jnp.inf).astype(x.dtype)
    return jnp.nextafter(x, towards) - x


def ndim(a: Any) -> int:
    """Returns how many dimensions it has."""
    return np.ndim(a)


def shape(a: Any) -> tuple[int, ...]:
    """Returns the sizes of its dimensions."""
    return np.shape(a)


def size(a: Any, axis: Any = None) -> int:
    """Returns how many elements it has, along the axis or axes if given."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    return int(np.prod([np.shape(a)[i] for i in axes])) if axis is not None else np.size(a)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Returns the products of vectors of three elements."""
    x1, x2 = jnp.asarray(x1), jnp.asarray(x2)
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they have "
            f"{x1.shape[axis]} and {x2.shape[axis]} dimensions instead."
        )
    return jnp.cross(x1, x2, axis=axis)


def diagonal(x: Any, /, *, offset: int = 0) -> Array:
    """Returns the diagonals of the matrices."""
    return jnp.diagonal(x, offset=offset, axis1=-2, axis2=-1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """Returns the sums of the diagonals of the matrices."""
    return jnp.trace(x, offset=offset, axis1=-2, axis2=-1, dtype=dtype)


def matmul(
    x1: Any, x2: Any, /, *, precision: Any = None, preferred_element_type: Any = None
) -> Any:
    """Returns the product of matrices."""
    product = jnp.matmul(x1, x2, precision=precision)
    return product if preferred_element_type is None else product.astype(preferred_element_type)


def tensordot(
    x1: Any, x2: Any, /, *, axes: Any = 2, precision: Any = None, preferred_element_type: Any = None
) -> Array:
    """Returns the product summed over axes."""
    product = jnp.tensordot(x1, x2, axes=axes, precision=precision)
    return product if preferred_element_type is None else product.astype(preferred_element_type)


def outer(x1: Any, x2: Any, /) -> Array:
    """Returns the products of the elements of two vectors."""
    x1, x2 = jnp.asarray(x1), jnp.asarray(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are {x1.ndim=} {x2.ndim=}"
        )
    return x1[:, None] * x2[None, :]


def matrix_transpose(x: Any, /) -> Array:
    """Returns the matrices with their last two axes swapped."""
    x = jnp.asarray(x)
    if x.ndim < 2:
        raise ValueError(f"x must be at least two-dimensional for matrix_transpose; got {x.ndim=}")
    return jnp.swapaxes(x, -1, -2)


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """Returns the norms of the matrices."""
    return jnp.linalg.norm(x, ord=ord, keepdims=keepdims, axis=(-2, -1))


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Array:
    """Returns the norms of the vectors along an axis, or over several, or of all elements."""
    x = jnp.asarray(x)
    if axis is None or (isinstance(axis, tuple) and len(axis) != 1):
        axes = tuple(range(x.ndim)) if axis is None else tuple(i % x.ndim for i in axis)
        rest = tuple(i for i in range(x.ndim) if i not in axes)
        flat = x.transpose((*axes, *rest)).reshape(-1, *(x.shape[i] for i in rest))
        norm = jnp.linalg.norm(flat, axis=0, ord=ord)
        return jnp.expand_dims(norm, axes) if keepdims else norm
    axis = axis[0] if isinstance(axis, tuple) else axis
    return jnp.linalg.norm(x, axis=axis, keepdims=keepdims, ord=ord)


def svdvals(x: Any, /) -> Array:
    """Returns the singular values of the matrices."""
    return jnp.linalg.svd(x, compute_uv=False, hermitian=False)


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
