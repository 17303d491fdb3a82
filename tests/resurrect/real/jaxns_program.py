"""Samples a Gaussian likelihood with jaxns; the evidence is known."""

import jax
import jax.numpy as jnp
import numpy as np
from checks import check, report
from jaxns.nested_sampler.nested_sampler import NestedSampler
from jaxns.prior_transforms import PriorChain, UniformPrior

sigma = 0.1


def log_likelihood(x):
    return jnp.sum(-0.5 * (x - 0.5) ** 2 / sigma**2 - jnp.log(sigma * jnp.sqrt(2 * jnp.pi)))


with PriorChain() as prior:
    UniformPrior("x", jnp.zeros(2), jnp.ones(2))
sampler = NestedSampler(log_likelihood, prior)
results = sampler(jax.random.PRNGKey(4), num_live_points=200)
check(results.log_Z_mean, 0.0, atol=0.5)
weights = np.exp(results.log_dp_mean)
samples = np.asarray(results.samples["x"])
mean = (weights[:, None] * samples).sum(0) / weights.sum()
check(mean, [0.5, 0.5], atol=0.05)
report()
