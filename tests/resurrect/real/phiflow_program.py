"""Differentiates and solves with phiflow's JAX backend; NumPy is the measure."""

import numpy as np
from checks import check, report
from phi.jax.flow import (
    CenteredGrid,
    PERIODIC,
    batch,
    diffuse,
    field,
    math,
    spatial,
    tensor,
    vec,
    jit_compile,
)

with math.precision(64):
    n = 32
    points = (np.arange(n) + 0.5) * 2 * np.pi / n
    wave = CenteredGrid(lambda x: math.sin(x), PERIODIC, x=n, bounds=__import__("phi.geom", fromlist=["Box"]).Box(x=2 * np.pi))
    check(wave.values.numpy("x"), np.sin(points))
    step = 2 * np.pi / n
    slopes = (np.sin(points + step) - np.sin(points - step)) / (2 * step)
    check(field.spatial_gradient(wave).values.vector[0].numpy("x"), slopes, atol=1e-6)
    bent = (np.sin(points + step) - 2 * np.sin(points) + np.sin(points - step)) / step**2
    check(field.laplace(wave).values.numpy("x"), bent, rtol=1e-6, atol=1e-6)
    after = diffuse.explicit(wave, 0.1, dt=0.01)
    check(after.values.numpy("x"), np.sin(points) + 0.001 * bent, rtol=1e-6, atol=1e-6)
    matrix = np.diag(np.arange(1.0, 5.0)) + 0.1
    rows = tensor(np.arange(4.0), spatial("x"))

    @jit_compile
    def squares(values):
        return math.sum(values**2, "x")

    check(squares(rows).numpy(), 14.0)
    gradient = math.gradient(lambda v: math.sum(v**3, "x"), "v", get_output=False)
    check(gradient(rows).numpy("x"), 3 * np.arange(4.0) ** 2)
    many = tensor(matrix, batch("b"), spatial("x"))
    check(math.mean(many, "x").numpy("b"), matrix.mean(1))
    check(math.fft(rows).numpy("x"), np.fft.fft(np.arange(4.0)), atol=1e-6)
    assert vec is not None
report()
