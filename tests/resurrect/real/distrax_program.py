"""Distributions and bijectors of distrax; SciPy is the measure."""

import distrax
import jax
import jax.numpy as jnp
import numpy as np
import scipy.stats
from checks import check, report

key = jax.random.PRNGKey(0)
x = np.linspace(0.1, 0.9, 9)
normal = distrax.Normal(0.5, 2.0)
check(jax.jit(normal.log_prob)(x), scipy.stats.norm.logpdf(x, 0.5, 2.0), rtol=1e-5)
check(normal.entropy(), scipy.stats.norm.entropy(0.5, 2.0), rtol=1e-5)
check(distrax.Gamma(2.0, 3.0).log_prob(x), scipy.stats.gamma.logpdf(x, 2.0, scale=1 / 3), rtol=1e-4)
beta = distrax.Beta(2.0, 3.0)
check(beta.log_prob(x), scipy.stats.beta.logpdf(x, 2, 3), rtol=1e-4, atol=1e-5)
other = distrax.Normal(0.0, 1.0)
expected = np.log(1 / 2.0) + (4 + 0.25) / 2 - 0.5
check(normal.kl_divergence(other), expected, rtol=1e-5)
categorical = distrax.Categorical(probs=jnp.array([0.2, 0.3, 0.5]))
counts = np.bincount(np.asarray(categorical.sample(seed=key, sample_shape=(20000,))), minlength=3)
check(counts / 20000, [0.2, 0.3, 0.5], atol=0.02)
squashed = distrax.Transformed(distrax.Normal(0.0, 1.0), distrax.Tanh())
own = scipy.stats.norm.logpdf(np.arctanh(x)) - np.log(1 - x**2)
check(jax.vmap(squashed.log_prob)(x), own, rtol=1e-4, atol=1e-5)
affine = distrax.ScalarAffine(1.0, 3.0)
y, slope = affine.forward_and_log_det(jnp.array(2.0))
check(y, 7.0)
check(slope, np.log(3.0), rtol=1e-6)
chain = distrax.Chain([affine, distrax.Lambda(jnp.exp)])
check(chain.forward(jnp.array(0.5)), 1 + 3 * np.exp(0.5), rtol=1e-5)
check(chain.inverse(jnp.array(7.0)), np.log(2.0), rtol=1e-5)
hmm = distrax.HMM(
    init_dist=distrax.Categorical(probs=jnp.array([0.6, 0.4])),
    trans_dist=distrax.Categorical(probs=jnp.array([[0.7, 0.3], [0.2, 0.8]])),
    obs_dist=distrax.Normal(jnp.array([0.0, 2.0]), jnp.ones(2)),
)
observed = np.array([0.1, 1.9, 2.2])
states, likelihood, *_ = hmm.forward(jnp.array(observed))
alpha = np.array([0.6, 0.4]) * scipy.stats.norm.pdf(observed[0], [0, 2], 1)
for value in observed[1:]:
    alpha = alpha @ [[0.7, 0.3], [0.2, 0.8]] * scipy.stats.norm.pdf(value, [0, 2], 1)
check(states[-1], alpha / alpha.sum(), rtol=1e-4)
report()
