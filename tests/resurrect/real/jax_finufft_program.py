"""Transforms with jax-finufft, the old one and today's; sums of exponentials are the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np  # noqa: E402
from checks import check, report  # noqa: E402
from jax_finufft import nufft1, nufft2  # noqa: E402

random = np.random.default_rng(7)
precision = {"rtol": 1e-9, "atol": 1e-9}


def exponential(shape, points, sign):
    """exp(sign i k.x) for each point, by each frequency of the shape."""
    frequencies = np.meshgrid(*(np.arange(-(n // 2), (n + 1) // 2) for n in shape), indexing="ij")
    phase = sum(np.multiply.outer(x, k) for x, k in zip(points, frequencies, strict=True))
    return np.exp(sign * 1j * phase)


for shape in ((7,), (6, 5), (4, 5, 3)):
    points = [random.uniform(-np.pi, np.pi, 11) for _ in shape]
    source = random.normal(size=11) + 1j * random.normal(size=11)
    coefficients = random.normal(size=shape) + 1j * random.normal(size=shape)
    for sign in (1, -1):
        E = exponential(shape, points, sign)
        axes = list(range(1, 1 + len(shape)))

        def to_modes(c, *x, sign=sign, shape=shape):
            return nufft1(shape, c, *x, eps=1e-12, iflag=sign)

        def to_points(f, *x, sign=sign):
            return nufft2(f, *x, eps=1e-12, iflag=sign)

        for run in (lambda f: f, jax.jit):
            check(run(to_modes)(source, *points), np.tensordot(source, E, 1), **precision)
            own = np.tensordot(E, coefficients, (axes, list(range(len(shape)))))
            check(run(to_points)(coefficients, *points), own, **precision)
    # A batch of sources at the same points, and the gradient of a norm.
    sources = np.stack([source, 2j * source])
    many = jax.vmap(to_modes, (0, *(None for _ in points)))(sources, *points)
    check(many, np.tensordot(sources, E, 1), **precision)

    def power(c, *x, transform=to_modes):
        return (abs(transform(c, *x)) ** 2).sum()

    gradient = jax.grad(power)(source, *points)
    modes = np.tensordot(source, E, 1)
    own = 2 * np.tensordot(E, modes.conj(), (axes, list(range(len(shape)))))
    check(gradient, own, rtol=1e-8, atol=1e-8)
report()
