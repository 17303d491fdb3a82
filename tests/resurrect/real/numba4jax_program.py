"""Calls functions that numba compiles, by numba4jax; NumPy is the measure.

Their targets are machine code made at run time, which is in no library.
"""

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np  # noqa: E402
from checks import check, report  # noqa: E402
from numba4jax import njit4jax  # noqa: E402

random = np.random.default_rng(13)


def two_like(x, y):
    return (jax.core.ShapedArray(x.shape, x.dtype), jax.core.ShapedArray(x.shape, x.dtype))


@njit4jax(two_like)
def add_and_multiply(arguments):
    total, product, x, y = arguments
    total[...] = x + y
    product[...] = x * y


def one_sum(x):
    return (jax.core.ShapedArray(x.shape[:1], x.dtype),)


@njit4jax(one_sum)
def sum_of_rows(arguments):
    sums, x = arguments
    for row in range(x.shape[0]):
        sums[row] = x[row].sum()


for dtype in (np.float32, np.float64, np.int32):
    x, y = (random.normal(size=(2, 4, 3)) * 9).astype(dtype)
    for run in (lambda f: f, jax.jit):
        total, product = run(add_and_multiply)(x, y)
        check(total, x + y)
        check(product, x * y)
        (sums,) = run(sum_of_rows)(x)
        check(sums, x.sum(1), rtol=1e-5)
report()
