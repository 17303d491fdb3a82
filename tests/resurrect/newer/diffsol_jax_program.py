"""diffsol-jax, ordinary differential equations: handlers written in Rust, against SciPy."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.integrate
from checks import close

jax.config.update("jax_enable_x64", True)

from diffsol_jax import ODEProblem  # noqa: E402


def rule(t, y, p):
    return (p[0] * y[0] - p[1] * y[0] * y[1], p[2] * y[0] * y[1] - p[3] * y[1])


p = jnp.array([1.5, 1.0, 0.75, 3.0])
y0 = jnp.array([1.0, 0.5])
problem = ODEProblem(rule, y0=y0, params=p)
ts, ys = jax.jit(lambda p: problem.solve(p, jnp.array([0.0, 2.0])))(p)
expected = scipy.integrate.solve_ivp(
    lambda t, y: rule(t, y, np.asarray(p)), (0, 2), y0, t_eval=ts, rtol=1e-10, atol=1e-12
)
close(ys, expected.y.T, 1e-3)
