"""Bounds functions by Taylor polynomials with autobound; NumPy's values are to lie between."""

import jax.numpy as jnp
import numpy as np
from autobound.jax import jax_bound
from checks import check, report

x0 = 0.5
trust = (0.0, 2.0)
points = np.linspace(*trust, 41)
for function, by_numpy in [
    (lambda x: 1.5 * jnp.exp(3 * x) - 25 * x**2, lambda x: 1.5 * np.exp(3 * x) - 25 * x**2),
    (lambda x: jnp.sin(x) * jnp.log(x + 1), lambda x: np.sin(x) * np.log(x + 1)),
]:
    bounds = jax_bound.taylor_bounds(function, max_degree=2)(x0, trust)
    lower = np.array([bounds.lower(x) for x in points])
    upper = np.array([bounds.upper(x) for x in points])
    values = by_numpy(points)
    check(np.maximum(lower - values, 0), np.zeros(41), atol=1e-3)
    check(np.maximum(values - upper, 0), np.zeros(41), atol=1e-3)
    check(bounds.lower(x0), by_numpy(x0), rtol=1e-5)
report()
