"""Binds NumPy functions with jaxbind, the old one and today's; NumPy itself is the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import jaxbind  # noqa: E402
import numpy as np  # noqa: E402
from checks import check, report  # noqa: E402

random = np.random.default_rng(11)
matrix = random.normal(size=(4, 6))


def multiply(out, args, kwargs_dump):
    scale = jaxbind.load_kwargs(kwargs_dump)["scale"]
    out[0][...] = scale * (matrix @ args[0])


def multiply_transposed(out, args, kwargs_dump):
    scale = jaxbind.load_kwargs(kwargs_dump)["scale"]
    out[0][...] = scale * (matrix.T @ args[0])


def rows(x, **_):
    return (((4, *x.shape[1:]), x.dtype),)


def columns(x, **_):
    return (((6, *x.shape[1:]), x.dtype),)


product = jaxbind.get_linear_call(multiply, multiply_transposed, rows, columns)


def cosine(out, args, kwargs_dump):
    out[0][...] = np.cos(args[0]) * args[1]
    out[1][...] = args[0] + args[1]


def cosine_slope(out, args, kwargs_dump):
    x, y, dx, dy = args
    out[0][...] = -np.sin(x) * y * dx + np.cos(x) * dy
    out[1][...] = dx + dy


def cosine_adjoint(out, args, kwargs_dump):
    x, y, u, v = args
    out[0][...] = -np.sin(x) * y * u + v
    out[1][...] = np.cos(x) * u + v


def two(x, y, *_, **__):
    return ((x.shape, x.dtype), (x.shape, x.dtype))


wave = jaxbind.get_nonlinear_call(cosine, (cosine_slope, cosine_adjoint), two, two)

x = random.normal(size=(6, 3))
for scale in (1.0, -2.5):
    for run in (lambda f: f, jax.jit):
        (y,) = run(lambda x, s=scale: product(x, scale=s))(x)
        check(y, scale * matrix @ x)
    _, (dy,) = jax.jvp(lambda x, s=scale: product(x, scale=s), (x,), (2 * x,))
    check(dy, 2 * scale * matrix @ x)
    cotangent = random.normal(size=(4, 3))
    _, pull_back = jax.vjp(lambda x, s=scale: product(x, scale=s)[0], x)
    check(pull_back(cotangent)[0], scale * matrix.T @ cotangent)

a, b = random.normal(size=(2, 5))
for run in (lambda f: f, jax.jit):
    first, second = run(wave)(a, b)
    check(first, np.cos(a) * b)
    check(second, a + b)
(_, _), (slope, sum_slope) = jax.jvp(wave, (a, b), (b, a))
check(slope, -np.sin(a) * b * b + np.cos(a) * a)
check(sum_slope, a + b)
_, pull_back = jax.vjp(wave, a, b)
for value, own in zip(pull_back([a, b]), (-np.sin(a) * b * a + b, np.cos(a) * a + b), strict=True):
    check(value, own)
report()
