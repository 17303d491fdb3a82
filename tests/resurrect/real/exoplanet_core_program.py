"""Uses exoplanet_core's JAX operations; its own NumPy and C++ results are the measure."""

import functools

import jax

jax.config.update("jax_enable_x64", True)

import checks  # noqa: E402
import numpy as np  # noqa: E402
from exoplanet_core import driver  # noqa: E402
from exoplanet_core.jax import ops  # noqa: E402
from exoplanet_core.numpy import ops as numpy_ops  # noqa: E402
from exoplanet_core.testing import check_contact_points, get_mean_and_true_anomaly  # noqa: E402

check = functools.partial(checks.check, rtol=0, atol=0)


# ---- Kepler's equation ---------------------------------------------------------------------------
eccentricity, anomaly = np.meshgrid(np.linspace(0.01, 0.9, 7), np.linspace(-3, 3, 11))
M, f = get_mean_and_true_anomaly(eccentricity, anomaly)
for run in (ops.kepler, jax.jit(ops.kepler), jax.vmap(ops.kepler)):
    for value, own in zip(run(M, eccentricity), numpy_ops.kepler(M, eccentricity), strict=True):
        check(value, own)
    sinf, cosf = run(M, eccentricity)
    check(np.arctan2(sinf, cosf), f, atol=1e-9)


def sine(M, e):
    return ops.kepler(M, e)[0].sum()


h = 1e-6
for argument in (0, 1):
    step = np.array([h, 0.0]) if argument == 0 else np.array([0.0, h])
    up = numpy_ops.kepler(M + step[0], eccentricity + step[1])[0]
    down = numpy_ops.kepler(M - step[0], eccentricity - step[1])[0]
    gradient = jax.jit(jax.grad(sine, argnums=argument))(M, eccentricity)
    check(gradient, (up - down) / (2 * h), rtol=1e-5, atol=1e-5)

# ---- Transits ------------------------------------------------------------------------------------
b, r = (np.ascontiguousarray(v) for v in np.meshgrid(np.linspace(0, 1.3, 14), [0.01, 0.1, 0.4]))
own = [np.empty((*b.shape, 3)) for _ in range(3)]
driver.quad_solution_vector_with_grad(b, r, *own)
for run in (ops.quad_solution_vector, jax.jit(ops.quad_solution_vector)):
    check(run(b, r), own[0])
weights = np.array([0.3, -1.0, 0.5])
for argument, derivative in ((0, own[1]), (1, own[2])):
    gradient = jax.grad(lambda *a: (ops.quad_solution_vector(*a) @ weights).sum(), argument)(b, r)
    check(gradient, derivative @ weights, rtol=1e-13, atol=1e-14)

# ---- Contact points ------------------------------------------------------------------------------
contact_points = jax.jit(ops.contact_points)
for a_over_r in (20.0, 100.0):
    for impact in (0.0, 0.5):
        for e in (0.0, 0.3):
            check_contact_points(
                lambda *arrays: [np.asarray(v) for v in contact_points(*arrays)],
                1.1,
                a_over_r,
                impact,
                e,
                0.5,
            )
            checks.count += 1
checks.report()
