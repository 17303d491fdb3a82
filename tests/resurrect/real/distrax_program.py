"""Distributions and bijectors of distrax; SciPy is the measure."""

import distrax
import jax
import jax.numpy as jnp
import numpy as np
import scipy.stats
from checks import check, report

at = np.linspace(-1, 2, 5).astype(np.float32)
check(distrax.Normal(0.5, 2.0).log_prob(at), scipy.stats.norm(0.5, 2).logpdf(at), rtol=1e-5)
check(distrax.Laplace(0.5, 2.0).cdf(at), scipy.stats.laplace(0.5, 2).cdf(at), rtol=1e-5)
check(distrax.Gamma(2.0, 3.0).log_prob(1.5), scipy.stats.gamma(2, scale=1 / 3).logpdf(1.5), 1e-5)
samples = distrax.Normal(1.0, 2.0).sample(seed=jax.random.PRNGKey(0), sample_shape=(20000,))
check([samples.mean(), samples.std()], [1, 2], rtol=0.05)

logarithmic = distrax.Transformed(distrax.Normal(0.0, 1.0), distrax.Lambda(jnp.exp))
check(logarithmic.log_prob(2.0), scipy.stats.lognorm(1).logpdf(2), rtol=1e-5)
mixture = distrax.MixtureSameFamily(
    distrax.Categorical(probs=jnp.array([0.3, 0.7])),
    distrax.Normal(jnp.array([0.0, 1.0]), jnp.ones(2)),
)
norm = scipy.stats.norm
check(mixture.prob(0.25), 0.3 * norm.pdf(0.25) + 0.7 * norm.pdf(0.25, 1), rtol=1e-5)
spline = distrax.RationalQuadraticSpline(jnp.linspace(-1, 1, 13), -1.0, 1.0)
there, slope = spline.forward_and_log_det(jnp.float32(0.3))
check(spline.inverse(there), 0.3, rtol=1e-5)
check(jnp.exp(slope), jax.grad(lambda x: spline.forward(x))(0.3), rtol=1e-4)

# The filter of a chain of two states, by hand.
start, move = np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.2, 0.8]])
model = distrax.HMM(
    distrax.Categorical(probs=jnp.asarray(start)),
    distrax.Categorical(probs=jnp.asarray(move)),
    distrax.Normal(jnp.array([0.0, 3.0]), jnp.ones(2)),
)
seen = jnp.array([0.1, 2.8, 3.1])
alpha = start * norm.pdf(seen[0], [0, 3])
for value in seen[1:]:
    alpha = (alpha @ move) * norm.pdf(value, [0, 3])
filtered = model.forward(seen)[1][-1]
check(filtered, alpha / alpha.sum(), rtol=1e-4)
check(model.viterbi(seen), [0, 1, 1])
report()
