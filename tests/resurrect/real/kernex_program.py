"""Stencils with kernex; NumPy's loops are the measure."""

import jax
import jax.numpy as jnp
import kernex
import numpy as np
from checks import check, report

random = np.random.default_rng(5)
x = random.normal(size=12).astype(np.float32)
plane = random.normal(size=(6, 7)).astype(np.float32)


@kernex.kmap(kernel_size=(3,))
def mean(window):
    return jnp.mean(window)


@kernex.kmap(kernel_size=(3, 3), padding="same")
def total(window):
    return jnp.sum(window)


@kernex.kscan(kernel_size=(3,), padding=("same",))
def running(window):
    return jnp.sum(window)


expected = np.convolve(x, np.ones(3) / 3, "valid")
check(mean(x), expected, rtol=1e-5, atol=1e-6)
check(jax.jit(mean)(x), expected, rtol=1e-5, atol=1e-6)
padded = np.pad(plane, 1)
sums = np.array([[padded[i : i + 3, j : j + 3].sum() for j in range(7)] for i in range(6)])
check(total(plane), sums, rtol=1e-5, atol=1e-5)
check(jax.grad(lambda x: mean(x).sum())(x), np.convolve(np.ones(10) / 3, np.ones(3)), rtol=1e-5)
own = np.pad(x, 1)
for i in range(12):
    own[i + 1] = own[i : i + 3].sum()
check(running(x), own[1:-1], rtol=1e-4, atol=1e-5)
report()
