"""Evaluates spherical harmonics with sphericart, old and new; SciPy's are the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np  # noqa: E402
import sphericart.jax  # noqa: E402
from checks import check, report  # noqa: E402

try:
    from scipy.special import sph_harm_y
except ImportError:  # SciPy before 1.15
    from scipy.special import sph_harm

    def sph_harm_y(degree, order, theta, phi):
        return sph_harm(order, degree, phi, theta)


xyz = np.random.default_rng(3).normal(size=(13, 3))
highest = 5


def harmonics(points):
    """The real ones without the phase (-1)^m, in the order (0, 0), (1, -1), (1, 0)..."""
    x, y, z = points.T
    theta, phi = np.arccos(z / np.linalg.norm(points, axis=1)), np.arctan2(y, x)
    columns = []
    for degree in range(highest + 1):
        for order in range(-degree, degree + 1):
            value = sph_harm_y(degree, abs(order), theta, phi) * (-1) ** order
            part = value.imag if order < 0 else value.real
            columns.append(part * (np.sqrt(2) if order else 1))
    return np.stack(columns, -1)


evaluate = sphericart.jax.spherical_harmonics
jitted = jax.jit(evaluate, static_argnums=1)
precision = {"rtol": 1e-10, "atol": 1e-10}
for run in (evaluate, jitted):
    check(run(xyz, highest), harmonics(xyz), **precision)
    check(run(xyz[0], highest), harmonics(xyz[:1])[0], **precision)
    check(
        run(xyz[:12].reshape(3, 4, 3), highest), harmonics(xyz[:12]).reshape(3, 4, -1), **precision
    )
single = jitted(xyz.astype(np.float32), highest)
assert single.dtype == np.float32
check(single, harmonics(xyz), rtol=2e-5, atol=2e-5)
check(jax.vmap(lambda p: evaluate(p, highest))(xyz), harmonics(xyz), **precision)

weights = np.cos(np.arange((highest + 1) ** 2))
gradient = jax.jit(jax.grad(lambda p: (evaluate(p, highest) @ weights).sum()))(xyz)
step = 1e-6 * np.eye(3)
slopes = [(harmonics(xyz + s) - harmonics(xyz - s)) @ weights / 2e-6 for s in step]
check(gradient, np.stack(slopes, -1), rtol=1e-7, atol=1e-7)
report()
