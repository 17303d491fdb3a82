"""Interpolates with interpax; SciPy is the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import interpax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
import scipy.interpolate  # noqa: E402
from checks import check, report  # noqa: E402

x = np.linspace(0, 2 * np.pi, 20)
y = np.sin(x)
points = np.linspace(0.1, 6, 33)
check(interpax.interp1d(points, x, y, method="linear"), np.interp(points, x, y))
smooth = scipy.interpolate.CubicSpline(x, y, bc_type="natural")
check(interpax.interp1d(points, x, y, method="cubic2"), smooth(points), atol=2e-3)
check(interpax.interp1d(points, x, y, method="cubic"), np.sin(points), atol=1e-2)
line = interpax.Interpolator1D(x, y, "linear")
check(jax.jit(lambda p: line(p))(points), np.interp(points, x, y))
slope = jax.vmap(jax.grad(lambda p: interpax.interp1d(p, x, y, method="linear").sum()))
steps = np.diff(y) / np.diff(x)
check(slope(jnp.array(points)), steps[np.searchsorted(x, points) - 1], rtol=1e-9)
z = np.outer(y, np.cos(x))
plane = scipy.interpolate.RegularGridInterpolator((x, x), z)
check(
    interpax.interp2d(points, points, x, x, z, method="linear"),
    plane(np.stack([points, points], 1)),
)
report()
