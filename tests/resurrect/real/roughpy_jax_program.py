"""Multiplies tensors of a truncated tensor algebra with roughpy-jax, by its typed handlers; sums of
outer products in NumPy are the measure."""

import jax
import numpy as np
import roughpy_jax
from checks import check, report

random = np.random.default_rng(4)
basis = roughpy_jax.TensorBasis(2, 2)


def product(a, b):
    """Of tensors of depth 2 over two letters, by level."""
    first = a[0] * b[1:3] + a[1:3] * b[0]
    second = a[0] * b[3:] + np.outer(a[1:3], b[1:3]).ravel() + a[3:] * b[0]
    return np.concatenate([[a[0] * b[0]], first, second])


def multiply(a, b):
    made = roughpy_jax.FreeTensor(a, basis), roughpy_jax.FreeTensor(b, basis)
    return roughpy_jax.ft_mul(*made).data


a, b = random.normal(size=(2, 7)).astype(np.float32)
for function in (multiply, jax.jit(multiply)):
    check(function(a, b), product(a, b), rtol=1e-5, atol=1e-6)
check(
    jax.grad(lambda a: multiply(a, b).sum())(a),
    [product(e, b).sum() for e in np.eye(7)],
    rtol=1e-5,
    atol=1e-6,
)
x = np.zeros(7, np.float32)
x[1:3] = random.normal(size=2)
power = product(x, x)
exponential = roughpy_jax.ft_exp(roughpy_jax.FreeTensor(x, basis))
check(exponential.data, np.eye(7)[0] + x + power / 2, rtol=1e-5, atol=1e-6)
check(roughpy_jax.ft_log(exponential).data, x, rtol=1e-5, atol=1e-6)
report()
