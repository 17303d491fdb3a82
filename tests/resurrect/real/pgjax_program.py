"""Draws with pgjax inside a loop; the moments of the Polya-Gamma distribution are the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import numpy as np  # noqa: E402
import pgjax  # noqa: E402
from checks import check, report  # noqa: E402

draws = 4000


def mean_and_variance(h, z):
    return (
        h / (2 * z) * np.tanh(z / 2),
        h / (4 * z**3) * (np.sinh(z) - z) / np.cosh(z / 2) ** 2,
    )


@jax.jit
def chain(h, z, keys):
    return jax.lax.scan(lambda carry, key: (carry, pgjax.pg_sample(h, z, key)), 0, keys)[1]


keys = jax.random.split(jax.random.PRNGKey(6), 5)
for shape, tilt in ((1.0, 0.5), (2.0, 3.0), (60.0, 1.0)):
    h, z = np.full(draws, shape), np.full(draws, tilt)
    sample = np.asarray(chain(h, z, keys))
    mean, variance = mean_and_variance(shape, tilt)
    check(sample.mean(), mean, rtol=0, atol=5 * np.sqrt(variance / sample.size))
    check(sample.var(), variance, rtol=0.1)
    check(pgjax.pg_sample(h, z, keys[2]), sample[2], rtol=0, atol=0)
report()
