"""Draws with augax; the moments of the Polya-Gamma distribution are the measure."""

import jax

jax.config.update("jax_enable_x64", True)

import augax  # noqa: E402
import numpy as np  # noqa: E402
from checks import check, report  # noqa: E402

draws = 20000
tilt = 1.5
for shape in (1.0, 3.5, 20.0):
    h, z = np.full(draws, shape), np.full(draws, tilt)
    sample = np.asarray(jax.jit(augax.pg_sample)(h, z, jax.random.PRNGKey(3)))
    mean = shape / (2 * tilt) * np.tanh(tilt / 2)
    variance = shape / (4 * tilt**3) * (np.sinh(tilt) - tilt) / np.cosh(tilt / 2) ** 2
    check(sample.mean(), mean, rtol=0, atol=5 * np.sqrt(variance / draws))
    check(sample.var(), variance, rtol=0.1)
    again = augax.pg_sample(h, z, jax.random.PRNGKey(3))
    check(again, sample, rtol=0, atol=0)  # one key, one stream
    other = augax.pg_sample(h, z, jax.random.PRNGKey(4))
    assert (np.asarray(other) != sample).any()

keys = jax.random.split(jax.random.PRNGKey(1), 3)
h, z = np.ones((3, 50)), np.tile(np.linspace(-2, 2, 50), (3, 1))
draw_all = jax.vmap(augax.pg_sample)
batch = draw_all(h, z, keys)
check(jax.jit(draw_all)(h, z, keys), batch, rtol=0, atol=0)
check(jax.vmap(draw_all)(h[None], z[None], keys[None])[0], batch, rtol=0, atol=0)

# The scale mixture: the logistic's variance is that of the scale's square.
u = np.random.default_rng(2).logistic(size=draws)
scale = np.asarray(jax.jit(augax.ks_sample)(u, jax.random.PRNGKey(8)))
check((scale**2).mean(), np.pi**2 / 3, rtol=0.05)
report()
