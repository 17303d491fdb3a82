"""Functions of jax.scipy, gone and newer, made of those that this JAX has."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import special
from jax.scipy.special import betaln, gammaln, xlogy

Array = jax.Array


def _floating(*arrays: Any) -> list[Array]:
    dtype = jnp.result_type(*arrays)
    dtype = dtype if jnp.issubdtype(dtype, jnp.inexact) else jnp.result_type(dtype, float)
    return [jnp.asarray(array).astype(dtype) for array in arrays]


# ---- jax.scipy.special ---------------------------------------------------------------------------


def gammasgn(x: Any) -> Array:
    """Returns the sign of the gamma function."""
    (x,) = _floating(x)
    below = jnp.floor(x)
    is_negative = (x < 0) & (below != x) & (below % 2 != 0)
    sign = jnp.where(is_negative, -1.0, 1.0)
    sign = jnp.where((x < 0) & (below == x), jnp.nan, sign)
    return jnp.where(x == 0, jnp.copysign(1.0, x), sign).astype(x.dtype)


def beta(a: Any, b: Any) -> Array:
    """Returns the beta function."""
    a, b = _floating(a, b)
    return gammasgn(a) * gammasgn(b) * gammasgn(a + b) * jnp.exp(betaln(a, b))


def factorial(n: Any, exact: bool = False) -> Array:
    """Returns n!, and 0 below 0; `exact` must be False."""
    if exact:
        raise NotImplementedError("factorial with exact=True")
    (n,) = _floating(n)
    return jnp.where(n < 0, 0, jnp.exp(gammaln(n + 1)))


def rel_entr(p: Any, q: Any) -> Array:
    """Returns p * log(p / q)."""
    p, q = _floating(p, q)
    is_inside, is_zero = (p > 0) & (q > 0), (p == 0) & (q >= 0)
    safe_p, safe_q = jnp.where(is_inside, p, 1), jnp.where(is_inside, q, 1)
    inside = xlogy(safe_p, safe_p) - xlogy(safe_p, safe_q)
    return jnp.where(is_inside, inside, jnp.where(is_zero, 0, jnp.inf)).astype(p.dtype)


def kl_div(p: Any, q: Any) -> Array:
    """Returns p * log(p / q) - p + q."""
    p, q = _floating(p, q)
    return rel_entr(p, q) - p + q


def softmax(x: Any, /, *, axis: Any = None) -> Array:
    """Returns the exponentials, which sum up to 1 along the axis or over all."""
    return jax.nn.softmax(_floating(x)[0], axis=_axes(x, axis))


def log_softmax(x: Any, /, *, axis: Any = None) -> Array:
    """Returns the logarithms of softmax()."""
    return jax.nn.log_softmax(_floating(x)[0], axis=_axes(x, axis))


def _axes(x: Any, axis: Any) -> Any:
    return tuple(range(jnp.ndim(x))) if axis is None else axis


def boxcox(x: Any, lmbda: Any) -> Array:
    """Returns (x ** lmbda - 1) / lmbda, and log(x) where lmbda is 0."""
    x, lmbda = _floating(x, lmbda)
    is_zero = lmbda == 0
    safe = jnp.where(is_zero, 1, lmbda)
    return jnp.where(is_zero, jnp.log(x), jnp.expm1(safe * jnp.log(x)) / safe)


def boxcox1p(x: Any, lmbda: Any) -> Array:
    """Returns boxcox(1 + x, lmbda) with its digits, also near 0."""
    x, lmbda = _floating(x, lmbda)
    is_zero = lmbda == 0
    safe = jnp.where(is_zero, 1, lmbda)
    return jnp.where(is_zero, jnp.log1p(x), jnp.expm1(safe * jnp.log1p(x)) / safe)


def sph_harm(m: Any, n: Any, theta: Any, phi: Any, n_max: int | None = None) -> Any:
    """Spherical harmonics, of order m and degree n, of the azimuth and of the polar angle."""
    return jax.scipy.special.sph_harm_y(n, m, phi, theta, n_max=n_max)


# ---- jax.scipy.linalg ----------------------------------------------------------------------------


def hilbert(n: int) -> Array:
    """Returns the matrix of 1 / (i + j + 1)."""
    i = jnp.arange(n, dtype=jnp.result_type(float))
    return 1 / (i[:, None] + i + 1)


def circulant(c: Any) -> Array:
    """Returns the matrix whose columns are `c`, each moved on by one."""
    c = jnp.asarray(c)
    n = c.shape[-1]
    at = (np.arange(n)[:, None] - np.arange(n)) % n
    return c[..., at]


def hankel(c: Any, r: Any = None) -> Array:
    """Returns the matrix whose antidiagonals are constant: first column `c`, last row `r`."""
    c = jnp.ravel(jnp.asarray(c))
    r = jnp.zeros_like(c) if r is None else jnp.ravel(jnp.asarray(r))
    values = jnp.concatenate([c, r[1:]])
    return values[np.arange(c.size)[:, None] + np.arange(r.size)]


def tril(m: Any, k: int = 0) -> Any:
    return jax.numpy.tril(m, k)


def triu(m: Any, k: int = 0) -> Any:
    return jax.numpy.triu(m, k)


# ---- jax.scipy.stats -----------------------------------------------------------------------------


def sem(
    a: Any,
    axis: int | None = 0,
    ddof: int = 1,
    nan_policy: str = "propagate",
    *,
    keepdims: Any = False,
) -> Array:
    """Returns the standard error of the mean."""
    if nan_policy != "propagate":
        raise NotImplementedError(
            f'sem: callbridge lends nan_policy="propagate", got {nan_policy!r}'
        )
    (a,) = _floating(a)
    a = a.ravel() if axis is None else a
    axis = 0 if axis is None else axis
    return a.std(axis, ddof=ddof, keepdims=keepdims) / jnp.sqrt(jnp.asarray(a.shape[axis], a.dtype))


def expon_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Array:
    x, loc, scale = _floating(x, loc, scale)
    return jnp.where(x < loc, 0, -jnp.expm1((loc - x) / scale)).astype(x.dtype)


def expon_logcdf(x: Any, loc: Any = 0, scale: Any = 1) -> Array:
    x, loc, scale = _floating(x, loc, scale)
    scaled = (x - loc) / scale
    return jnp.where(x < loc, -jnp.inf, jnp.log1p(-jnp.exp(-scaled))).astype(x.dtype)


def expon_logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Array:
    x, loc, scale = _floating(x, loc, scale)
    return jnp.where(x < loc, 0, (loc - x) / scale).astype(x.dtype)


def expon_sf(x: Any, loc: Any = 0, scale: Any = 1) -> Array:
    return jnp.exp(expon_logsf(x, loc, scale))


def expon_ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Array:
    q, loc, scale = _floating(q, loc, scale)
    is_one = (q >= 0) & (q <= 1)
    return jnp.where(is_one, loc - scale * jnp.log1p(-q), jnp.nan).astype(q.dtype)


def uniform_cdf(x: Any, loc: Any = 0, scale: Any = 1) -> Array:
    x, loc, scale = _floating(x, loc, scale)
    inside = (x >= loc) & (x <= loc + scale)
    return jnp.where(inside, (x - loc) / scale, jnp.where(x > loc + scale, 1, 0)).astype(x.dtype)


def uniform_ppf(q: Any, loc: Any = 0, scale: Any = 1) -> Array:
    q, loc, scale = _floating(q, loc, scale)
    return jnp.where((q >= 0) & (q <= 1), q * scale + loc, jnp.nan).astype(q.dtype)


def norm_logsf(x: Any, loc: Any = 0, scale: Any = 1) -> Array:
    x, loc, scale = _floating(x, loc, scale)
    return special.log_ndtr(-(x - loc) / scale)
