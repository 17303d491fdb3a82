"""Minima, fixed points and their derivatives with jaxopt; NumPy and SciPy are the measure."""

import jax
import jax.numpy as jnp
import jaxopt
import numpy as np
import scipy.optimize
from checks import check, report

matrix = np.array([[3.0, 1], [1, 2]], np.float32)
vector = np.array([1.0, 3], np.float32)
minimum = np.linalg.solve(matrix, vector)


def loss(x):
    return 0.5 * x @ matrix @ x - vector @ x


check(jaxopt.GradientDescent(loss, maxiter=500).run(jnp.zeros(2)).params, minimum, atol=1e-2)
check(jaxopt.LBFGS(loss, maxiter=100).run(jnp.zeros(2)).params, minimum, atol=1e-2)
check(jaxopt.ScipyMinimize(fun=loss, method="BFGS").run(jnp.zeros(2)).params, minimum, atol=1e-3)
projection = jaxopt.projection.projection_non_negative
bounded = jaxopt.ProjectedGradient(loss, projection, maxiter=500).run(jnp.ones(2)).params
check(bounded, [0, 1.5], atol=1e-2)

fixed = jaxopt.FixedPointIteration(lambda x, scale: scale * jnp.cos(x), maxiter=200)
point = scipy.optimize.brentq(lambda x: np.cos(x) - x, 0, 1)
check(fixed.run(jnp.float32(0.5), 1.0).params, point, atol=1e-3)
slope = np.cos(point) / (1 + np.sin(point))
check(jax.grad(lambda s: fixed.run(jnp.float32(0.5), s).params)(1.0), slope, rtol=0.01)
bisected = jaxopt.Bisection(lambda x: x**3 - x - 2, 1.0, 2.0, tol=1e-6).run().params
check(bisected, scipy.optimize.brentq(lambda x: x**3 - x - 2, 1, 2), rtol=1e-4)

inner = jaxopt.LBFGS(lambda x, target: jnp.sum((x - target) ** 2), maxiter=50)
check(jax.jacobian(lambda t: inner.run(jnp.zeros(2), t).params)(jnp.ones(2)), np.eye(2), atol=1e-3)
check(jaxopt.projection.projection_simplex(jnp.array([0.5, 1.5, -1])), [0, 1, 0], atol=1e-6)
check(jaxopt.linear_solve.solve_cg(lambda x: matrix @ x, vector), minimum, rtol=1e-4)
report()
