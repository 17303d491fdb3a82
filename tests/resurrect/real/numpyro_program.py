"""Distributions, Hamiltonian Monte Carlo and variational inference with numpyro; SciPy and the
posterior in closed form are the measure."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import scipy.stats
from checks import check, report
from numpyro.infer import MCMC, NUTS, SVI, Predictive, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal

check(dist.Gamma(2.0, 3.0).log_prob(1.5), scipy.stats.gamma(2, scale=1 / 3).logpdf(1.5), rtol=1e-5)
check(dist.StudentT(3.0, 0.5, 2.0).log_prob(1.0), scipy.stats.t(3, 0.5, 2).logpdf(1), rtol=1e-5)
check(dist.Binomial(5, 0.3).log_prob(2), scipy.stats.binom(5, 0.3).logpmf(2), rtol=1e-5)
covariance = np.array([[2.0, 0.5], [0.5, 1]], np.float32)
normal = dist.MultivariateNormal(jnp.zeros(2), covariance)
check(
    normal.log_prob(jnp.ones(2)),
    scipy.stats.multivariate_normal(np.zeros(2), covariance).logpdf(np.ones(2)),
    rtol=1e-5,
)
correlation = dist.LKJCholesky(3, 1.0).sample(jax.random.PRNGKey(0))
check(np.diag(correlation @ correlation.T), np.ones(3), rtol=1e-5)

seen = np.array([1.0, 2, 3, 2.5], np.float32)


def model(seen=None):
    mean = numpyro.sample("mean", dist.Normal(0, 10))
    with numpyro.plate("data", 4):
        numpyro.sample("seen", dist.Normal(mean, 1), obs=seen)


precision = 4 + 1 / 100
center, width = seen.sum() / precision, precision**-0.5
sampler = MCMC(NUTS(model), num_warmup=200, num_samples=2000, progress_bar=False)
sampler.run(jax.random.PRNGKey(0), seen)
samples = sampler.get_samples()["mean"]
check([samples.mean(), samples.std()], [center, width], rtol=0.1)
drawn = Predictive(model, sampler.get_samples())(jax.random.PRNGKey(1))["seen"]
check(drawn.mean(), center, rtol=0.1)
inference = SVI(model, AutoNormal(model), numpyro.optim.Adam(0.05), Trace_ELBO())
found = inference.run(jax.random.PRNGKey(0), 1000, seen, progress_bar=False)
check(found.params["mean_auto_loc"], center, rtol=0.15)
report()
