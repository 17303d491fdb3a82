"""Solves ordinary differential equations with diffsol_jax, whose handlers are written in Rust.

SciPy's solution is the measure.
"""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate
from checks import check, report

jax.config.update("jax_enable_x64", True)

from diffsol_jax import ODEProblem  # noqa: E402


def slope(_, y, p):
    return (p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1])


start, span = np.array([1.0, 0.5]), np.array([0.0, 2.0])
problem = ODEProblem(slope, y0=jnp.array(start), params=jnp.array([1.5, 1.0, 0.75, 3.0]))
for parameters in ([1.5, 1.0, 0.75, 3.0], [1.0, 0.5, 0.5, 2.0]):
    p = np.array(parameters)
    for run in (problem.solve, jax.jit(problem.solve)):
        times, values = run(jnp.array(p), jnp.array(span))
        exact = scipy.integrate.solve_ivp(
            slope, span, start, args=(p,), t_eval=np.asarray(times), rtol=1e-10, atol=1e-12
        )
        check(values, exact.y.T, rtol=1e-3, atol=1e-3)
report()
