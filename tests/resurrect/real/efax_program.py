"""Exponential families of efax; NumPy and SciPy are the measure."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy.stats
from checks import check, report
from efax import BernoulliEP, BernoulliNP, GammaNP, NormalNP, PoissonNP

p = np.array([0.4, 0.5, 0.6])
expected = BernoulliEP(jnp.array(p))
natural = BernoulliNP(jnp.zeros(3))
check(expected.cross_entropy(natural), np.log(2) * np.ones(3), rtol=1e-5)
check(expected.to_nat().log_odds, np.log(p / (1 - p)), rtol=1e-5, atol=1e-6)
check(natural.to_exp().probability, 0.5 * np.ones(3), rtol=1e-6)
check(expected.to_nat().entropy(), -(p * np.log(p) + (1 - p) * np.log(1 - p)), rtol=1e-5)
rates = np.array([0.5, 3.0])
poisson = PoissonNP(jnp.log(rates))
check(poisson.to_exp().mean, rates, rtol=1e-5)
check(jax.jit(poisson.pdf)(jnp.array([1, 2])), scipy.stats.poisson.pmf([1, 2], rates), rtol=1e-4)
normal = NormalNP(jnp.array(2.0), jnp.array(-0.5))
check(normal.pdf(jnp.array(1.0)), scipy.stats.norm.pdf(1.0, 2.0, 1.0), rtol=1e-5)
gradient = jax.grad(lambda q: BernoulliNP(q).log_normalizer().sum())(jnp.zeros(3))
check(gradient, 0.5 * np.ones(3), rtol=1e-5)
assert GammaNP is not None
report()
